import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;

/** Several result sets at once, scroll, hold, update of the current row. */
final class Cursors {
    private static final int ROWS = 50;
    private final Checks checks;
    private final Server server;

    Cursors(Checks checks, Server server) {
        this.checks = checks;
        this.server = server;
    }

    void run() {
        checks.section("two result sets", this::two);
        checks.section("scroll", this::scroll);
        checks.section("scroll over an empty set", this::scrollEmpty);
        checks.section("hold over commit", this::hold);
        checks.section("close early", this::closeEarly);
        checks.section("update where current of", this::current);
        checks.section("max rows", this::maxRows);
    }

    private void fill(Statement s) throws Exception {
        s.executeUpdate("create temp table cu (a integer, b varchar(30)) with no log");
        try (PreparedStatement p = s.getConnection().prepareStatement("insert into cu values (?, ?)")) {
            for (int i = 1; i <= ROWS; i++) {
                p.setInt(1, i);
                p.setString(2, "row " + i);
                p.addBatch();
            }
            p.executeBatch();
        }
    }

    private void two() throws Exception {
        try (Connection c = server.connect(); Statement s = c.createStatement(); Statement t = c.createStatement()) {
            fill(s);
            try (ResultSet up = s.executeQuery("select a, b from cu order by a");
                    ResultSet down = t.executeQuery("select a from cu order by a desc")) {
                for (int i = 1; i <= ROWS; i++) {
                    checks.that("both have row " + i, up.next() && down.next());
                    checks.equal("up", i, up.getInt(1));
                    checks.equal("down", ROWS + 1 - i, down.getInt(1));
                    checks.equal("in between", 1, Connecting.one(c, "select 1 from systables where tabid = 1"));
                }
                checks.that("both end", !up.next() && !down.next());
            }
        }
    }

    private void scroll() throws Exception {
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            fill(s);
            try (Statement t = c.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_READ_ONLY);
                    ResultSet r = t.executeQuery("select a, b from cu order by a")) {
                checks.that("last", r.last());
                checks.equal("last", ROWS, r.getInt(1));
                checks.equal("its number", ROWS, r.getRow());
                checks.that("first", r.first());
                checks.equal("first", 1, r.getInt(1));
                checks.that("absolute", r.absolute(20));
                checks.equal("absolute", 20, r.getInt(1));
                checks.that("relative", r.relative(-5));
                checks.equal("relative", 15, r.getInt(1));
                checks.that("previous", r.previous());
                checks.equal("previous", 14, r.getInt(1));
                checks.equal("text", "row 14", r.getString(2));
                checks.that("from the end", r.absolute(-2));
                checks.equal("from the end", ROWS - 1, r.getInt(1));
                checks.that("out of range", !r.absolute(ROWS + 1));
                checks.that("after last", r.isAfterLast());
                checks.that("back", r.previous());
                checks.equal("back", ROWS, r.getInt(1));
                r.beforeFirst();
                int seen = 0;
                while (r.next()) {
                    seen++;
                }
                checks.equal("all again", ROWS, seen);
            }
            try (PreparedStatement p = c.prepareStatement("select a from cu where a > ? order by a",
                    ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_READ_ONLY)) {
                p.setInt(1, 40);
                try (ResultSet r = p.executeQuery()) {
                    checks.that("prepared last", r.last());
                    checks.equal("prepared last", ROWS, r.getInt(1));
                    checks.that("prepared first", r.first());
                    checks.equal("prepared first", 41, r.getInt(1));
                }
            }
        }
    }

    private void scrollEmpty() throws Exception {
        try (Connection c = server.connect();
                Statement t = c.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_READ_ONLY);
                ResultSet r = t.executeQuery("select tabid from systables where tabid = -5")) {
            checks.that("no first", !r.first());
            checks.that("no last", !r.last());
            checks.that("no next", !r.next());
        }
    }

    private void hold() throws Exception {
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            fill(s);
            c.setAutoCommit(false);
            try (Statement t = c.createStatement(ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_READ_ONLY,
                    ResultSet.HOLD_CURSORS_OVER_COMMIT);
                    ResultSet r = t.executeQuery("select a from cu order by a")) {
                checks.that("row 1", r.next());
                c.commit();
                int seen = 1;
                while (r.next()) {
                    seen++;
                }
                checks.equal("the rest after the commit", ROWS, seen);
            }
            c.commit();
        }
    }

    private void closeEarly() throws Exception {
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            for (int i = 0; i < 20; i++) {
                try (ResultSet r = s.executeQuery("select a.tabname from systables a, systables b")) {
                    checks.that("a row", r.next());
                }
            }
            checks.equal("usable", 1, Connecting.one(c, "select 1 from systables where tabid = 1"));
        }
    }

    private void current() throws Exception {
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            s.executeUpdate("create table judge_cur (a integer, b varchar(20))");
            try {
                for (int i = 1; i <= 3; i++) {
                    s.executeUpdate("insert into judge_cur values (" + i + ", 'old')");
                }
                c.setAutoCommit(false);
                try (Statement t = c.createStatement()) {
                    t.setCursorName("cur");
                    try (ResultSet r = t.executeQuery("select a, b from judge_cur for update")) {
                        while (r.next()) {
                            if (r.getInt(1) == 2) {
                                s.executeUpdate("update judge_cur set b = 'new' where current of "
                                        + r.getCursorName());
                            }
                        }
                    }
                }
                c.commit();
                checks.equal("one row changed", "new", Connecting.text(c, "select b from judge_cur where a = 2"));
                checks.equal("the others not", 2, Connecting.one(c, "select count(*) from judge_cur where b = 'old'"));
                c.commit();
            } finally {
                c.rollback();
                c.setAutoCommit(true);
                s.executeUpdate("drop table judge_cur");
            }
        }
    }

    private void maxRows() throws Exception {
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            fill(s);
            s.setMaxRows(7);
            int seen = 0;
            try (ResultSet r = s.executeQuery("select a from cu")) {
                while (r.next()) {
                    seen++;
                }
            }
            checks.equal("rows", 7, seen);
        }
    }
}
