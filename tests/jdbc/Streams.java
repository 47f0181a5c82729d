import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.Reader;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.Arrays;
import java.util.List;

/** BYTE, TEXT, BLOB and CLOB of sizes around the buffers' limits and large ones, by each way in and each way out. */
final class Streams {
    /** Around the driver's blocks (1024, 4096), the chunks of 32 KB, and beyond LOBCACHE. */
    private static final int[] SIZES = {0, 1, 1023, 1024, 1025, 4095, 4096, 4097, 32767, 32768, 32769, 1 << 20};
    private static final int LARGE = 10 << 20;
    private final Checks checks;
    private final Server server;

    Streams(Checks checks, Server server) {
        this.checks = checks;
        this.server = server;
    }

    /** Puts a value into parameter 2. */
    private interface In {
        void set(Connection c, PreparedStatement p, byte[] data) throws Exception;
    }

    /** Reads column 2. */
    private interface Out {
        byte[] get(ResultSet r) throws Exception;
    }

    private record Way<T>(String name, T how) {}

    private static final Way<In> BYTES = new Way<>("setBytes", (c, p, data) -> p.setBytes(2, data));
    private static final Way<In> BINARY = new Way<>("setBinaryStream",
            (c, p, data) -> p.setBinaryStream(2, new ByteArrayInputStream(data), data.length));
    private static final Way<In> OBJECT = new Way<>("setObject", (c, p, data) -> p.setObject(2, data));
    private static final Way<In> ASCII = new Way<>("setAsciiStream",
            (c, p, data) -> p.setAsciiStream(2, new ByteArrayInputStream(data), data.length));
    private static final Way<In> CHARACTERS = new Way<>("setCharacterStream",
            (c, p, data) -> p.setCharacterStream(2, new StringReader(text(data)), data.length));
    private static final Way<In> STRING = new Way<>("setString", (c, p, data) -> p.setString(2, text(data)));
    private static final Way<In> BLOB = new Way<>("setBlob", (c, p, data) -> {
        Blob blob = c.createBlob();
        // The driver seeks to the position as it is, counted from 0 (captures/jdbc-smartlob-insert).
        blob.setBytes(0, data);
        p.setBlob(2, blob);
    });
    private static final Way<In> CLOB = new Way<>("setClob", (c, p, data) -> {
        Clob clob = c.createClob();
        clob.setString(0, text(data));
        p.setClob(2, clob);
    });

    private static final Way<Out> GET_BYTES = new Way<>("getBytes", r -> r.getBytes(2));
    private static final Way<Out> GET_BINARY = new Way<>("getBinaryStream", r -> all(r.getBinaryStream(2)));
    private static final Way<Out> GET_OBJECT = new Way<>("getObject", r -> (byte[]) r.getObject(2));
    private static final Way<Out> GET_STRING = new Way<>("getString", r -> bytes(r.getString(2)));
    private static final Way<Out> GET_ASCII = new Way<>("getAsciiStream", r -> all(r.getAsciiStream(2)));
    private static final Way<Out> GET_CHARACTERS = new Way<>("getCharacterStream", r -> all(r.getCharacterStream(2)));
    private static final Way<Out> GET_BLOB = new Way<>("getBlob", r -> {
        Blob blob = r.getBlob(2);
        return blob.length() == 0 ? new byte[0] : blob.getBytes(1, (int) blob.length());
    });
    private static final Way<Out> GET_BLOB_STREAM = new Way<>("getBlob stream", r -> all(r.getBlob(2).getBinaryStream()));
    private static final Way<Out> GET_CLOB = new Way<>("getClob", r -> {
        Clob clob = r.getClob(2);
        return clob.length() == 0 ? new byte[0] : bytes(clob.getSubString(1, (int) clob.length()));
    });
    private static final Way<Out> GET_CLOB_READER = new Way<>("getClob reader", r -> all(r.getClob(2).getCharacterStream()));

    private record Kind(String type, boolean binary, List<Way<In>> in, List<Way<Out>> out) {}

    private static final Kind[] KINDS = {
        new Kind("byte", true, List.of(BYTES, BINARY, OBJECT), List.of(GET_BYTES, GET_BINARY, GET_OBJECT)),
        new Kind("text", false, List.of(ASCII, CHARACTERS, STRING), List.of(GET_STRING, GET_ASCII, GET_CHARACTERS)),
        new Kind("blob", true, List.of(BYTES, BINARY, BLOB), List.of(GET_BYTES, GET_BINARY, GET_BLOB, GET_BLOB_STREAM)),
        new Kind("clob", false, List.of(ASCII, CHARACTERS, STRING, CLOB),
                List.of(GET_STRING, GET_ASCII, GET_CLOB, GET_CLOB_READER)),
    };

    void run() {
        for (Kind kind : KINDS) {
            for (String options : new String[] {"", "LOBCACHE=0", "LOBCACHE=-1"}) {
                checks.section("streams of " + kind.type + " " + options, () -> everySize(kind, options));
            }
            checks.section("large " + kind.type, () -> large(kind));
            checks.section("changes of " + kind.type, () -> changes(kind));
        }
        checks.section("parts of a blob", this::parts);
        checks.section("many large objects in a row", this::mixed);
    }

    private static byte[] data(Kind kind, int size) {
        byte[] data = new byte[size];
        for (int i = 0; i < size; i++) {
            int mixed = (int) (i * 2654435761L >>> 7) & 0xff;
            data[i] = (byte) (kind.binary ? mixed : 'a' + mixed % 26);
        }
        return data;
    }

    private static String text(byte[] data) {
        return new String(data, StandardCharsets.ISO_8859_1);
    }

    private static byte[] bytes(String text) {
        return text == null ? null : text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static byte[] all(InputStream in) throws Exception {
        if (in == null) {
            return null;
        }
        try (in) {
            return in.readAllBytes();
        }
    }

    private static byte[] all(Reader in) throws Exception {
        if (in == null) {
            return null;
        }
        try (in) {
            StringBuilder text = new StringBuilder();
            char[] buffer = new char[5000];
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                text.append(buffer, 0, n);
            }
            return bytes(text.toString());
        }
    }

    /** BLOB and CLOB need a table that stays. */
    private void with(String options, Kind kind, Checks.Action1<Connection> action) throws Exception {
        try (Connection c = server.connect("testdb", options); Statement s = c.createStatement()) {
            s.executeUpdate("create table judge_streams (k integer primary key, v " + kind.type + ", z integer)");
            try {
                c.setAutoCommit(false);
                action.run(c);
                c.commit();
            } finally {
                c.rollback();
                c.setAutoCommit(true);
                s.executeUpdate("drop table judge_streams");
            }
        }
    }

    private static void insert(Connection c, Way<In> way, int key, byte[] data) throws Exception {
        try (PreparedStatement p = c.prepareStatement("insert into judge_streams values (?, ?, ?)")) {
            p.setInt(1, key);
            way.how.set(c, p, data);
            p.setInt(3, -key);
            p.executeUpdate();
        }
    }

    private void everySize(Kind kind, String options) throws Exception {
        with(options, kind, c -> {
            int key = 0;
            for (Way<In> in : kind.in) {
                for (int size : SIZES) {
                    insert(c, in, ++key, data(kind, size));
                }
            }
            try (PreparedStatement p = c.prepareStatement("insert into judge_streams values (?, ?, 0)")) {
                p.setInt(1, 0);
                p.setNull(2, kind.binary ? Types.LONGVARBINARY : Types.LONGVARCHAR);
                p.executeUpdate();
            }
            for (Way<Out> out : kind.out) {
                try (Statement s = c.createStatement();
                        ResultSet r = s.executeQuery("select * from judge_streams order by k")) {
                    checks.that("row of NULL", r.next());
                    checks.that(out.name + " NULL", nothing(out, r) && r.wasNull());
                    int row = 0;
                    for (Way<In> in : kind.in) {
                        for (int size : SIZES) {
                            String what = in.name + ", " + out.name + ", " + size;
                            checks.that(what, r.next() && r.getInt(1) == ++row);
                            same(what, data(kind, size), out.how.get(r));
                            checks.equal(what + " and behind it", -row, r.getInt(3));
                        }
                    }
                    checks.that("the end", !r.next());
                }
            }
        });
    }

    /** Whether NULL is read as nothing; a locator of NULL is null itself. */
    private static boolean nothing(Way<Out> out, ResultSet r) throws Exception {
        try {
            return out.how.get(r) == null;
        } catch (NullPointerException e) {
            return true;
        }
    }

    private void same(String what, byte[] expected, byte[] actual) {
        if (actual == null) {
            checks.fail(what + ": nothing came");
        } else {
            checks.that(what + ": " + actual.length + " bytes, first difference at "
                    + Arrays.mismatch(expected, actual), Arrays.equals(expected, actual));
        }
    }

    private void large(Kind kind) throws Exception {
        with("", kind, c -> {
            byte[] data = data(kind, LARGE);
            insert(c, kind.in.get(1), 1, data);
            try (Statement s = c.createStatement();
                    ResultSet r = s.executeQuery("select k, v, z from judge_streams")) {
                checks.that("row", r.next());
                same(kind.out.get(1).name, data, kind.out.get(1).how.get(r));
                checks.equal("behind it", -1, r.getInt(3));
            }
        });
    }

    /** A value is replaced, set to NULL and back; what a rollback leaves. */
    private void changes(Kind kind) throws Exception {
        with("", kind, c -> {
            insert(c, kind.in.get(0), 1, data(kind, 5000));
            c.commit();
            for (int size : new int[] {10, 70_000, 0}) {
                try (PreparedStatement p = c.prepareStatement("update judge_streams set z = ?, v = ? where k = 1")) {
                    p.setInt(1, size);
                    kind.in.get(0).how.set(c, p, data(kind, size));
                    checks.equal("updated", 1, p.executeUpdate());
                }
                one(c, kind, size + " after the update", data(kind, size));
                c.rollback();
                one(c, kind, size + " after the rollback", data(kind, 5000));
            }
            try (Statement s = c.createStatement()) {
                s.executeUpdate("update judge_streams set v = null");
                try (ResultSet r = s.executeQuery("select k, v from judge_streams")) {
                    checks.that("set to NULL", r.next() && r.getString(2) == null);
                }
            }
            c.rollback();
            one(c, kind, "NULL rolled back", data(kind, 5000));
        });
    }

    private void one(Connection c, Kind kind, String what, byte[] expected) throws Exception {
        try (Statement s = c.createStatement(); ResultSet r = s.executeQuery("select k, v from judge_streams")) {
            checks.that(what, r.next());
            same(what, expected, kind.out.get(0).how.get(r));
        }
    }

    private void parts() throws Exception {
        Kind kind = KINDS[2];
        with("", kind, c -> {
            byte[] data = data(kind, 100_000);
            insert(c, BYTES, 1, data);
            try (Statement s = c.createStatement(); ResultSet r = s.executeQuery("select k, v from judge_streams")) {
                checks.that("row", r.next());
                Blob blob = r.getBlob(2);
                checks.equal("length", 100_000L, blob.length());
                for (int from : new int[] {0, 1, 31_999, 32_000, 32_001, 65_535, 99_999}) {
                    for (int length : new int[] {1, 2, 31_999, 32_001}) {
                        int to = Math.min(from + length, data.length);
                        same("part " + from + " " + length, Arrays.copyOfRange(data, from, to),
                                blob.getBytes(from + 1, length));
                    }
                }
            }
        });
    }

    /** All kinds beside one another in many rows, read in the order of the columns and against it. */
    private void mixed() throws Exception {
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            s.executeUpdate("create table judge_mixed (k integer, a byte, b text, d blob, e clob, f varchar(20))");
            try {
                c.setAutoCommit(false);
                for (int k = 0; k < 40; k++) {
                    try (PreparedStatement p = c.prepareStatement("insert into judge_mixed values (?, ?, ?, ?, ?, ?)")) {
                        p.setInt(1, k);
                        p.setBytes(2, data(KINDS[0], k * 130));
                        p.setString(3, text(data(KINDS[1], k * 131)));
                        p.setBytes(4, data(KINDS[2], k * 132));
                        p.setString(5, text(data(KINDS[3], k * 133)));
                        p.setString(6, "row " + k);
                        p.executeUpdate();
                    }
                }
                c.commit();
                for (boolean forward : new boolean[] {true, false}) {
                    try (ResultSet r = s.executeQuery("select * from judge_mixed order by k")) {
                        for (int k = 0; k < 40; k++) {
                            checks.that("row", r.next() && r.getInt(1) == k);
                            for (int i = 0; i < 5; i++) {
                                mixedColumn(r, k, forward ? 2 + i : 6 - i);
                            }
                        }
                    }
                }
            } finally {
                c.rollback();
                c.setAutoCommit(true);
                s.executeUpdate("drop table judge_mixed");
            }
        }
    }

    private void mixedColumn(ResultSet r, int k, int column) throws SQLException {
        String what = "row " + k + " column " + column;
        switch (column) {
            case 2 -> same(what, data(KINDS[0], k * 130), r.getBytes(2));
            case 3 -> same(what, data(KINDS[1], k * 131), bytes(r.getString(3)));
            case 4 -> same(what, data(KINDS[2], k * 132), r.getBytes(4));
            case 5 -> same(what, data(KINDS[3], k * 133), bytes(r.getString(5)));
            default -> checks.equal(what, "row " + k, r.getString(6));
        }
    }
}
