import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.Reader;
import java.io.StringReader;
import java.sql.Blob;
import java.sql.CallableStatement;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.Statement;
import java.sql.Types;

/** What applications and their frameworks do beyond plain statements. */
final class Applications {
    private final Checks checks;
    private final Server server;

    Applications(Checks checks, Server server) {
        this.checks = checks;
        this.server = server;
    }

    void run() {
        checks.section("callable statements", this::callable);
        checks.section("updatable result sets", this::updatable);
        checks.section("sensitive scrolling", this::sensitive);
        checks.section("holdability", this::holdability);
        checks.section("query timeout", this::timeout);
        checks.section("several result sets at once", this::several);
        checks.section("streams", this::streams);
        checks.section("lock wait and isolation by properties", this::properties);
        checks.section("changing the database", this::switching);
        checks.section("code sets", this::codeSets);
        checks.section("batch errors", this::batchErrors);
        checks.section("a statement goes on after an error", this::afterErrors);
    }

    private void callable() throws Exception {
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            s.executeUpdate("create table judge_call (a integer, b varchar(20))");
            s.executeUpdate("create function judge_twice(a integer) returning integer; return a * 2; end function");
            s.executeUpdate("create function judge_pair(a integer) returning integer, varchar(20);"
                    + " return a, 'p' || a; end function");
            s.executeUpdate("create function judge_rows(n integer) returning integer; define i integer;"
                    + " for i = 1 to n return i with resume; end for end function");
            s.executeUpdate("create procedure judge_add(x integer, y varchar(20))"
                    + " insert into judge_call values (x, y); end procedure");
            try {
                // `{? = call f(?)}` needs an announcement of the OUT parameter that nobody outside of the vendor knows.
                try (CallableStatement call = c.prepareCall("{call judge_twice(?)}")) {
                    for (int value : new int[] {21, -4}) {
                        call.setInt(1, value);
                        try (ResultSet r = call.executeQuery()) {
                            checks.that("a row", r.next());
                            checks.equal("result", 2 * value, r.getInt(1));
                        }
                    }
                }
                try (CallableStatement call = c.prepareCall("{call judge_add(?, ?)}")) {
                    call.setInt(1, 1);
                    call.setString(2, "one");
                    call.execute();
                    call.setInt(1, 2);
                    call.setNull(2, Types.VARCHAR);
                    call.executeUpdate();
                }
                checks.equal("rows of the procedure", 2, Connecting.one(c, "select count(*) from judge_call"));
                try (CallableStatement call = c.prepareCall("execute function judge_pair(?)")) {
                    call.setInt(1, 7);
                    try (ResultSet r = call.executeQuery()) {
                        checks.that("a row", r.next());
                        checks.equal("first", 7, r.getInt(1));
                        checks.equal("second", "p7", r.getString(2));
                        checks.that("one row", !r.next());
                    }
                }
                try (CallableStatement call = c.prepareCall("{call judge_rows(?)}")) {
                    call.setInt(1, 5);
                    int sum = 0;
                    try (ResultSet r = call.executeQuery()) {
                        while (r.next()) {
                            sum += r.getInt(1);
                        }
                    }
                    checks.equal("WITH RESUME", 15, sum);
                }
                checks.fails("unknown routine", -674, () -> {
                    try (CallableStatement call = c.prepareCall("{call judge_nothing(1)}")) {
                        call.execute();
                    }
                });
            } finally {
                s.executeUpdate("drop procedure judge_add");
                s.executeUpdate("drop function judge_rows");
                s.executeUpdate("drop function judge_pair");
                s.executeUpdate("drop function judge_twice");
                s.executeUpdate("drop table judge_call");
            }
        }
    }

    private void table(Connection c) throws SQLException {
        try (Statement s = c.createStatement()) {
            s.executeUpdate("create table judge_app (id integer not null primary key, name varchar(20))");
            s.executeUpdate("insert into judge_app values (1, 'one')");
            s.executeUpdate("insert into judge_app values (2, 'two')");
            s.executeUpdate("insert into judge_app values (3, 'three')");
        }
    }

    private void drop(Connection c) throws SQLException {
        if (!c.getAutoCommit()) {
            c.rollback();
            c.setAutoCommit(true);
        }
        try (Statement s = c.createStatement()) {
            s.executeUpdate("drop table judge_app");
        }
    }

    private void updatable() throws Exception {
        try (Connection c = server.connect()) {
            table(c);
            try {
                try (Statement s = c.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_UPDATABLE);
                        ResultSet r = s.executeQuery("select id, name from judge_app")) {
                    checks.that("first", r.absolute(2));
                    r.updateString("name", "changed");
                    r.updateRow();
                    r.absolute(3);
                    r.deleteRow();
                    r.moveToInsertRow();
                    r.updateInt("id", 9);
                    r.updateString("name", "new");
                    r.insertRow();
                }
                try (Statement s = c.createStatement();
                        ResultSet r = s.executeQuery("select id, name from judge_app order by id")) {
                    StringBuilder rows = new StringBuilder();
                    while (r.next()) {
                        rows.append(r.getInt(1)).append('=').append(r.getString(2)).append(' ');
                    }
                    checks.equal("rows", "1=one 2=changed 9=new ", rows.toString());
                }
            } finally {
                drop(c);
            }
        }
    }

    private void sensitive() throws Exception {
        try (Connection c = server.connect()) {
            table(c);
            try (Statement s = c.createStatement(ResultSet.TYPE_SCROLL_SENSITIVE, ResultSet.CONCUR_READ_ONLY);
                    ResultSet r = s.executeQuery("select id, name from judge_app order by id")) {
                checks.that("last", r.last());
                checks.equal("last row", 3, r.getRow());
                checks.that("back", r.previous() && r.getInt(1) == 2);
                checks.that("relative", r.relative(-1) && r.getInt(1) == 1);
                checks.that("before the first", !r.relative(-1) && r.isBeforeFirst());
                checks.that("absolute from the end", r.absolute(-2) && r.getInt(1) == 2);
                checks.that("first", r.first() && r.isFirst());
                checks.that("after the last", !r.absolute(4));
            } finally {
                drop(c);
            }
        }
    }

    private void holdability() throws Exception {
        try (Connection c = server.connect()) {
            table(c);
            try {
                c.setAutoCommit(false);
                try (Statement s = c.createStatement(ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_READ_ONLY,
                        ResultSet.HOLD_CURSORS_OVER_COMMIT);
                        ResultSet r = s.executeQuery("select id from judge_app order by id")) {
                    checks.that("first", r.next());
                    c.commit();
                    checks.that("after the commit", r.next() && r.getInt(1) == 2);
                    checks.that("third", r.next() && r.getInt(1) == 3);
                    checks.that("end", !r.next());
                }
            } finally {
                drop(c);
            }
        }
    }

    private void timeout() throws Exception {
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            s.setQueryTimeout(1);
            long start = System.nanoTime();
            try (ResultSet r = s.executeQuery("select count(*) from syscolumns a, syscolumns b, syscolumns c,"
                    + " syscolumns d where a.colno + b.colno + c.colno = d.colno")) {
                r.next();
                checks.fail("no timeout");
            } catch (SQLTimeoutException e) {
                checks.that("in time", System.nanoTime() - start < 20_000_000_000L);
            }
            checks.equal("the connection goes on", 1, Connecting.one(c,
                    "select count(*) from systables where tabid = 1"));
        }
    }

    private void several() throws Exception {
        try (Connection c = server.connect()) {
            table(c);
            try (PreparedStatement outer = c.prepareStatement("select id from judge_app order by id");
                    PreparedStatement inner = c.prepareStatement("select name from judge_app where id = ?");
                    PreparedStatement change = c.prepareStatement("update judge_app set name = ? where id = ?")) {
                StringBuilder seen = new StringBuilder();
                try (ResultSet r = outer.executeQuery()) {
                    while (r.next()) {
                        inner.setInt(1, r.getInt(1));
                        try (ResultSet one = inner.executeQuery()) {
                            one.next();
                            seen.append(one.getString(1)).append(' ');
                        }
                        change.setString(1, "x" + r.getInt(1));
                        change.setInt(2, r.getInt(1));
                        change.executeUpdate();
                    }
                }
                checks.equal("inner rows", "one two three ", seen.toString());
                checks.equal("changed", 3, Connecting.one(c, "select count(*) from judge_app where name like 'x%'"));
            } finally {
                drop(c);
            }
        }
    }

    private void streams() throws Exception {
        byte[] bytes = new byte[70_000];
        StringBuilder letters = new StringBuilder();
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (i * 31);
            letters.append((char) ('a' + i % 26));
        }
        String text = letters.toString();
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            s.executeUpdate("create table judge_lob (id integer, b byte, t text, bl blob, cl clob)");
            try {
                c.setAutoCommit(false);
                try (PreparedStatement p = c.prepareStatement("insert into judge_lob values (1, ?, ?, ?, ?)")) {
                    p.setBinaryStream(1, new ByteArrayInputStream(bytes), bytes.length);
                    p.setCharacterStream(2, new StringReader(text), text.length());
                    p.setBinaryStream(3, new ByteArrayInputStream(bytes), bytes.length);
                    p.setCharacterStream(4, new StringReader(text), text.length());
                    checks.equal("inserted", 1, p.executeUpdate());
                }
                try (ResultSet r = s.executeQuery("select b, t, bl, cl from judge_lob")) {
                    checks.that("row", r.next());
                    try (InputStream in = r.getBinaryStream(1)) {
                        checks.that("byte", java.util.Arrays.equals(bytes, in.readAllBytes()));
                    }
                    try (Reader in = r.getCharacterStream(2)) {
                        checks.equal("text", text.length(), read(in).length());
                    }
                    Blob blob = r.getBlob(3);
                    checks.equal("length of the blob", (long) bytes.length, blob.length());
                    try (InputStream in = blob.getBinaryStream()) {
                        checks.that("blob", java.util.Arrays.equals(bytes, in.readAllBytes()));
                    }
                    checks.equal("part of it", bytes[1000], blob.getBytes(1001, 10)[0]);
                    Clob clob = r.getClob(4);
                    checks.equal("length of the clob", (long) text.length(), clob.length());
                    try (Reader in = clob.getCharacterStream()) {
                        checks.that("clob", text.equals(read(in)));
                    }
                    checks.equal("part of the clob", text.substring(99, 109), clob.getSubString(100, 10));
                }
                c.commit();
            } finally {
                c.rollback();
                c.setAutoCommit(true);
                s.executeUpdate("drop table judge_lob");
            }
        }
    }

    private static String read(Reader reader) throws Exception {
        StringBuilder all = new StringBuilder();
        char[] buffer = new char[4096];
        for (int n = reader.read(buffer); n >= 0; n = reader.read(buffer)) {
            all.append(buffer, 0, n);
        }
        return all.toString();
    }

    private void properties() throws Exception {
        try (Connection a = server.connect(); Connection b = server.connect("testdb",
                "IFX_LOCK_MODE_WAIT=17;IFX_ISOLATION_LEVEL=5")) {
            table(a);
            try (Statement sa = a.createStatement(); Statement sb = b.createStatement()) {
                a.setAutoCommit(false);
                sa.executeUpdate("update judge_app set name = 'a' where id = 1");
                try (ResultSet r = sb.executeQuery("select name from judge_app where id = 1")) {
                    checks.that("last committed", r.next() && r.getString(1).equals("one"));
                }
                // It waits until the other one commits.
                Thread committer = new Thread(() -> {
                    try {
                        a.commit();
                    } catch (Exception e) {
                        checks.fail("commit: " + e);
                    }
                });
                committer.start();
                checks.equal("after waiting", 1, sb.executeUpdate("update judge_app set name = 'b' where id = 1"));
                committer.join();
                a.setAutoCommit(true);
            } finally {
                drop(a);
            }
        }
    }

    private void switching() throws Exception {
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            s.executeUpdate("create database judge_other with log");
            try {
                s.executeUpdate("create table only_here (a integer)");
                s.executeUpdate("database testdb");
                checks.fails("not in the other database", -206, () -> s.executeQuery("select * from only_here"));
                checks.equal("by its name", 0, Connecting.one(c, "select count(*) from judge_other:only_here"));
                s.executeUpdate("database judge_other");
                checks.equal("there again", 0, Connecting.one(c, "select count(*) from only_here"));
            } finally {
                s.executeUpdate("close database");
                s.executeUpdate("drop database judge_other");
            }
        }
    }

    private void codeSets() throws Exception {
        String[][] cases = {
            {"en_us.8859-15", "price: 5 \u20ac, \u0152uvre"},
            {"en_us.utf8", "\u20ac \u03b1\u03b2\u03b3 \u65e5\u672c \ud83d\ude00"},
            {"ja_jp.sjis", "\u65e5\u672c\u8a9e\u30c6\u30b9\u30c8"},
        };
        int number = 0;
        for (String[] one : cases) {
            String name = "judge_locale" + ++number;
            String locale = "DB_LOCALE=" + one[0] + ";CLIENT_LOCALE=" + one[0];
            String url = "jdbc:informix-sqli://" + server.host + ":" + server.port + ":INFORMIXSERVER=informix;" + locale;
            try (Connection c = DriverManager.getConnection(url, "informix", "in4mix"); Statement s = c.createStatement()) {
                s.executeUpdate("create database " + name + " with log");
                s.executeUpdate("create table words (w nvarchar(60), l lvarchar(300))");
                try (PreparedStatement p = c.prepareStatement("insert into words values (?, ?)")) {
                    p.setString(1, one[1]);
                    p.setString(2, one[1]);
                    p.executeUpdate();
                }
                try (ResultSet r = s.executeQuery("select w, l from words where w = '" + one[1] + "'")) {
                    checks.that(one[0] + " found", r.next());
                    checks.equal(one[0] + " nvarchar", one[1], r.getString(1));
                    checks.equal(one[0] + " lvarchar", one[1], r.getString(2));
                }
                s.executeUpdate("close database");
                s.executeUpdate("drop database " + name);
            } catch (SQLException e) {
                checks.fail(one[0] + ": " + e + " " + e.getErrorCode());
            }
        }
    }

    private void batchErrors() throws Exception {
        try (Connection c = server.connect()) {
            table(c);
            try (Statement s = c.createStatement()) {
                s.addBatch("insert into judge_app values (10, 'a')");
                s.addBatch("insert into judge_app values (1, 'twice')");
                s.addBatch("insert into judge_app values (11, 'b')");
                try {
                    s.executeBatch();
                    checks.fail("no error");
                } catch (java.sql.BatchUpdateException e) {
                    checks.equal("code", -268, e.getErrorCode());
                    checks.that("the first one counts", e.getUpdateCounts().length >= 1
                            && e.getUpdateCounts()[0] == 1);
                }
                checks.equal("the first one stays", 1,
                        Connecting.one(c, "select count(*) from judge_app where id = 10"));
            } finally {
                drop(c);
            }
        }
    }

    /** The driver releases the id of a statement that it never got: other statements must not suffer. */
    private void afterErrors() throws Exception {
        try (Connection c = server.connect()) {
            table(c);
            try (PreparedStatement other = c.prepareStatement("select name from judge_app where id = ?");
                    Statement s = c.createStatement()) {
                for (int id = 1; id <= 3; id++) {
                    s.executeUpdate("update judge_app set name = 'x' where id = 1");
                    checks.fails("unknown table", -206, () -> s.executeQuery("select * from judge_nothing"));
                    try (ResultSet r = s.executeQuery("select count(*) from judge_app")) {
                        checks.that("the same statement again", r.next() && r.getInt(1) == 3);
                    }
                    other.setInt(1, id);
                    try (ResultSet r = other.executeQuery()) {
                        checks.that("the other statement", r.next() && r.getString(1) != null);
                    }
                }
            } finally {
                drop(c);
            }
        }
    }
}
