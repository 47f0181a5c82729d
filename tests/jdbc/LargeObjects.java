import java.sql.Blob;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.Arrays;

/** BYTE and TEXT (sent with the row's statement), BLOB and CLOB (by locator). */
final class LargeObjects {
    private static final int[] SIZES = {0, 1, 2, 255, 256, 1023, 1024, 1025, 4096, 70000};
    private final Checks checks;
    private final Server server;

    LargeObjects(Checks checks, Server server) {
        this.checks = checks;
        this.server = server;
    }

    void run() {
        checks.section("byte", this::bytes);
        checks.section("text", this::text);
        checks.section("blob", this::blob);
        checks.section("clob", this::clob);
    }

    private static byte[] data(int size) {
        byte[] data = new byte[size];
        for (int i = 0; i < size; i++) {
            data[i] = (byte) (i * 31 + size);
        }
        return data;
    }

    private void bytes() throws Exception {
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            s.executeUpdate("create temp table lb (a integer, b byte, d integer) with no log");
            try (PreparedStatement p = c.prepareStatement("insert into lb values (?, ?, ?)")) {
                for (int i = 0; i < SIZES.length; i++) {
                    p.setInt(1, i);
                    p.setBytes(2, data(SIZES[i]));
                    p.setInt(3, -i);
                    p.executeUpdate();
                }
                p.setInt(1, SIZES.length);
                p.setNull(2, java.sql.Types.LONGVARBINARY);
                p.setInt(3, -SIZES.length);
                p.executeUpdate();
            }
            try (ResultSet r = s.executeQuery("select * from lb order by a")) {
                for (int i = 0; i < SIZES.length; i++) {
                    checks.that("row " + i, r.next());
                    checks.that(SIZES[i] + " bytes", Arrays.equals(data(SIZES[i]), r.getBytes(2)));
                    checks.equal("after", -i, r.getInt(3));
                }
                checks.that("row of NULL", r.next());
                checks.equal("NULL", null, r.getBytes(2));
            }
        }
    }

    private void text() throws Exception {
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            s.executeUpdate("create temp table lt (a integer, b text, d integer) with no log");
            try (PreparedStatement p = c.prepareStatement("insert into lt values (?, ?, ?)")) {
                for (int i = 0; i < SIZES.length; i++) {
                    byte[] bytes = "t".repeat(SIZES[i]).getBytes("US-ASCII");
                    p.setInt(1, i);
                    p.setAsciiStream(2, new java.io.ByteArrayInputStream(bytes), bytes.length);
                    p.setInt(3, -i);
                    p.executeUpdate();
                }
            }
            try (ResultSet r = s.executeQuery("select * from lt order by a")) {
                for (int i = 0; i < SIZES.length; i++) {
                    checks.that("row " + i, r.next());
                    checks.equal(SIZES[i] + " characters", "t".repeat(SIZES[i]), r.getString(2));
                    checks.equal("after", -i, r.getInt(3));
                }
            }
        }
    }

    private void blob() throws Exception {
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            s.executeUpdate("create table judge_blob (a integer, b blob, d integer)");
            try {
                try (PreparedStatement p = c.prepareStatement("insert into judge_blob values (?, ?, ?)")) {
                    for (int i = 0; i < SIZES.length; i++) {
                        p.setInt(1, i);
                        p.setBytes(2, data(SIZES[i]));
                        p.setInt(3, -i);
                        p.executeUpdate();
                    }
                }
                try (ResultSet r = s.executeQuery("select * from judge_blob order by a")) {
                    for (int i = 0; i < SIZES.length; i++) {
                        checks.that("row " + i, r.next());
                        Blob blob = r.getBlob(2);
                        checks.equal("length", (long) SIZES[i], blob.length());
                        byte[] got = SIZES[i] == 0 ? new byte[0] : blob.getBytes(1, SIZES[i]);
                        checks.that(SIZES[i] + " bytes", Arrays.equals(data(SIZES[i]), got));
                        checks.equal("after", -i, r.getInt(3));
                    }
                }
            } finally {
                s.executeUpdate("drop table judge_blob");
            }
        }
    }

    private void clob() throws Exception {
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            s.executeUpdate("create table judge_clob (a integer, b clob)");
            try {
                try (PreparedStatement p = c.prepareStatement("insert into judge_clob values (?, ?)")) {
                    p.setInt(1, 1);
                    byte[] bytes = "character data".repeat(300).getBytes("US-ASCII");
                    p.setAsciiStream(2, new java.io.ByteArrayInputStream(bytes), bytes.length);
                    p.executeUpdate();
                    p.setInt(1, 2);
                    p.setNull(2, java.sql.Types.CLOB);
                    p.executeUpdate();
                }
                try (ResultSet r = s.executeQuery("select * from judge_clob order by a")) {
                    checks.that("row", r.next());
                    checks.equal("text", "character data".repeat(300), r.getString(2));
                    checks.that("row", r.next());
                    checks.equal("NULL", null, r.getString(2));
                }
            } finally {
                s.executeUpdate("drop table judge_clob");
            }
        }
    }
}
