import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What goes wrong in the middle, or changes beneath a statement: cancel, DDL, batches, savepoints, rows that are changed in place. */
final class Corners {
    private final Checks checks;
    private final Server server;

    Corners(Checks checks, Server server) {
        this.checks = checks;
        this.server = server;
    }

    void run() {
        checks.section("cancel from another thread", this::cancel);
        checks.section("cancel of nothing", this::cancelNothing);
        checks.section("DDL beneath prepared statements", this::ddl);
        checks.section("parameters described", this::parameters);
        checks.section("batches with errors", this::batches);
        checks.section("savepoints in every order", this::savepoints);
        checks.section("results and the end of a transaction", this::holdability);
        checks.section("rows changed in place", this::updatable);
        checks.section("generated keys of several columns", this::keys);
        checks.section("a statement that is closed early", this::closing);
    }

    private static final String SLOW = "select count(*) from syscolumns a, syscolumns b, syscolumns c, syscolumns d"
            + " where a.colno + b.colno + c.colno = d.colno - 1000";

    /** Cancels until the statement has ended: a cancel that comes before it begins does nothing. */
    private void cancelled(Statement s, Checks.Action running) throws Exception {
        boolean[] over = {false};
        Thread other = new Thread(() -> {
            while (true) {
                synchronized (over) {
                    if (over[0]) {
                        return;
                    }
                }
                try {
                    s.cancel();
                } catch (SQLException e) {
                    checks.fail("cancel: " + e);
                    return;
                }
                Thread.yield();
            }
        });
        other.start();
        try {
            running.run();
        } finally {
            synchronized (over) {
                over[0] = true;
            }
            other.join();
        }
    }

    private void cancel() throws Exception {
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            s.executeUpdate("create temp table kept (a integer) with no log");
            for (int i = 1; i <= 3; i++) {
                cancelled(s, () -> checks.fails("a cancelled query", -213, () -> {
                    try (ResultSet r = s.executeQuery(SLOW)) {
                        r.next();
                    }
                }));
                checks.equal("the connection goes on", i, s.executeUpdate("insert into kept values (" + i + ")") + i - 1);
            }
            try (PreparedStatement p = c.prepareStatement(SLOW + " + ?")) {
                p.setInt(1, 0);
                cancelled(p, () -> checks.fails("a cancelled prepared query", -213, () -> {
                    try (ResultSet r = p.executeQuery()) {
                        r.next();
                    }
                }));
            }
            checks.equal("rows", 3, Connecting.one(c, "select count(*) from kept"));
        }
    }

    private void cancelNothing() throws Exception {
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            for (int i = 0; i < 5; i++) {
                s.cancel();
                checks.equal("after a cancel of nothing", 1, Connecting.one(c, "select tabid from systables where tabid = 1"));
            }
        }
    }

    /** What was prepared before a table changed is prepared again where it still means the same, else it is an error. */
    private void ddl() throws Exception {
        try (Connection c = server.connect(); Connection other = server.connect(); Statement s = other.createStatement()) {
            s.executeUpdate("create table judge_ddl (a integer, b varchar(10))");
            try (PreparedStatement insert = c.prepareStatement("insert into judge_ddl (a, b) values (?, ?)");
                    PreparedStatement star = c.prepareStatement("select * from judge_ddl where a >= ? order by a");
                    PreparedStatement one = c.prepareStatement("select b from judge_ddl where a = ?")) {
                add(insert, 1, "one");
                checks.equal("before", List.of("1|one"), rows(star, 2));
                checks.equal("before", List.of("one"), rows(one, 1));
                s.executeUpdate("create index judge_ddl_a on judge_ddl (a)");
                add(insert, 2, "two");
                checks.equal("with an index", List.of("1|one", "2|two"), rows(star, 2));
                s.executeUpdate("alter table judge_ddl add (d date default '2024-02-29')");
                add(insert, 3, "three");
                checks.equal("a column more, not selected", List.of("one"), rows(one, 1));
                checks.fails("a column more, selected by *", -710, () -> rows(star, 2));
                s.executeUpdate("alter table judge_ddl modify (b varchar(30))");
                checks.fails("a longer column", -710, () -> rows(one, 1));
                s.executeUpdate("drop table judge_ddl");
                checks.fails("no table", -206, () -> add(insert, 5, "five"));
                s.executeUpdate("create table judge_ddl (a integer, b varchar(10))");
                add(insert, 6, "six");
                checks.equal("the same table again", 1, Connecting.one(c, "select count(*) from judge_ddl"));
            } finally {
                s.executeUpdate("drop table if exists judge_ddl");
            }
        }
    }

    private static void add(PreparedStatement insert, int a, String b) throws SQLException {
        insert.setInt(1, a);
        insert.setString(2, b);
        insert.executeUpdate();
    }

    private static List<String> rows(PreparedStatement select, int columns) throws SQLException {
        select.setInt(1, 1);
        try (ResultSet r = select.executeQuery()) {
            List<String> rows = new ArrayList<>();
            while (r.next()) {
                List<String> row = new ArrayList<>();
                for (int i = 1; i <= columns; i++) {
                    row.add(r.getString(i));
                }
                rows.add(String.join("|", row));
            }
            return rows;
        }
    }

    private void parameters() throws Exception {
        Object[][] types = {
            {"integer", Types.INTEGER}, {"smallint", Types.SMALLINT}, {"bigint", Types.BIGINT}, {"int8", Types.BIGINT},
            {"float", Types.DOUBLE}, {"smallfloat", Types.REAL}, {"decimal(8,2)", Types.DECIMAL},
            {"date", Types.DATE}, {"datetime year to second", Types.TIMESTAMP}, {"char(7)", Types.CHAR},
            {"varchar(9)", Types.VARCHAR}, {"lvarchar(99)", Types.LONGVARCHAR}, {"boolean", Types.BOOLEAN},
        };
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            StringBuilder create = new StringBuilder("create temp table described (");
            StringBuilder insert = new StringBuilder("insert into described values (");
            for (int i = 0; i < types.length; i++) {
                create.append(i == 0 ? "c" : ", c").append(i).append(' ').append(types[i][0]);
                insert.append(i == 0 ? "?" : ", ?");
            }
            s.executeUpdate(create.append(") with no log").toString());
            try (PreparedStatement p = c.prepareStatement(insert.append(')').toString())) {
                ParameterMetaData m = p.getParameterMetaData();
                checks.equal("parameters", types.length, m.getParameterCount());
                for (int i = 0; i < types.length; i++) {
                    checks.equal("parameter of " + types[i][0], types[i][1], m.getParameterType(i + 1));
                }
            }
            try (PreparedStatement p = c.prepareStatement("update described set c0 = ?, c9 = ? where c6 > ? and c7 = ?")) {
                ParameterMetaData m = p.getParameterMetaData();
                checks.equal("parameters of an UPDATE", 4, m.getParameterCount());
            }
            try (PreparedStatement p = c.prepareStatement("select c0 from described where c0 = ?")) {
                checks.equal("parameters of a SELECT", 1, p.getParameterMetaData().getParameterCount());
            }
            try (PreparedStatement p = c.prepareStatement("delete from described")) {
                checks.equal("no parameters", 0, p.getParameterMetaData().getParameterCount());
            }
        }
    }

    /** Counts up to the error, with each way to send a batch, and what stands in the table then. */
    private void batches() throws Exception {
        for (String options : new String[] {"", "IFX_BATCHUPDATE_PER_SPEC=0", "IFX_BATCHUPDATE_PER_SPEC=1", "IFX_USEPUT=1"}) {
            try (Connection c = server.connect("testdb", options); Statement s = c.createStatement()) {
                s.executeUpdate("create temp table batched (a integer primary key, b varchar(10)) with no log");
                for (int wrong : new int[] {0, 1, 5, 9}) {
                    String what = options + " error in row " + wrong;
                    s.executeUpdate("delete from batched where 1 = 1");
                    s.executeUpdate("insert into batched values (" + (100 + wrong) + ", 'there')");
                    try (PreparedStatement p = c.prepareStatement("insert into batched values (?, ?)")) {
                        for (int i = 0; i < 10; i++) {
                            p.setInt(1, 100 + i);
                            p.setString(2, "row " + i);
                            p.addBatch();
                        }
                        try {
                            p.executeBatch();
                            checks.fail(what + ": no error");
                        } catch (BatchUpdateException e) {
                            checks.equal(what, -268, e.getErrorCode());
                            if (!options.contains("=0") && !options.contains("PUT")) {
                                int[] ones = new int[wrong];
                                Arrays.fill(ones, 1);
                                checks.equal(what + " counts", Arrays.toString(ones), Arrays.toString(e.getUpdateCounts()));
                            }
                        } catch (SQLException e) {
                            // By an insert cursor the driver reports the error as such.
                            checks.equal(what, -268, e.getErrorCode());
                        }
                        int there = Connecting.one(c, "select count(*) from batched where b <> 'there'");
                        checks.equal(what + " rows before it", wrong, there);
                        // The statement and the connection go on; with this setting the driver itself does not.
                        if (!options.contains("=0")) {
                            p.clearBatch();
                            p.setInt(1, 1);
                            p.setString(2, "after");
                            p.addBatch();
                            checks.equal(what + " again", "[1]", Arrays.toString(p.executeBatch()));
                        }
                    }
                }
            }
        }
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            s.executeUpdate("create temp table texts (a integer primary key) with no log");
            c.setAutoCommit(false);
            for (String sql : new String[] {"insert into texts values (1)", "insert into texts values (2)",
                "insert into nosuch values (3)", "insert into texts values (4)"}) {
                s.addBatch(sql);
            }
            try {
                s.executeBatch();
                checks.fail("a batch of texts with an error");
            } catch (BatchUpdateException e) {
                checks.equal("its code", -206, e.getErrorCode());
                checks.equal("its counts", "[1, 1]", Arrays.toString(e.getUpdateCounts()));
            }
            c.rollback();
            checks.equal("an empty batch", 0, s.executeBatch().length);
        }
    }

    private void savepoints() throws Exception {
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            s.executeUpdate("create table judge_save (a integer)");
            try {
                c.setAutoCommit(false);
                Savepoint[] points = new Savepoint[5];
                for (int i = 0; i < 5; i++) {
                    s.executeUpdate("insert into judge_save values (" + i + ")");
                    points[i] = i % 2 == 0 ? c.setSavepoint("p" + i) : c.setSavepoint();
                }
                c.rollback(points[3]);
                checks.equal("back to 3", 4, Connecting.one(c, "select count(*) from judge_save"));
                checks.fails("a later one is gone", -32026, () -> c.rollback(points[4]));
                c.rollback(points[3]);
                checks.equal("the same again", 4, Connecting.one(c, "select count(*) from judge_save"));
                c.releaseSavepoint(points[1]);
                checks.that("a released one is gone", failed(() -> c.rollback(points[1])));
                c.rollback(points[0]);
                checks.equal("back to 0", 1, Connecting.one(c, "select count(*) from judge_save"));
                s.executeUpdate("insert into judge_save values (9)");
                c.commit();
                checks.that("none is left after the commit", failed(() -> c.rollback(points[0])));
                c.rollback();
                checks.equal("committed", 2, Connecting.one(c, "select count(*) from judge_save"));
                c.commit();
                c.setAutoCommit(true);
                checks.that("none without a transaction", failed(() -> c.setSavepoint("x")));
            } finally {
                if (!c.getAutoCommit()) {
                    c.rollback();
                    c.setAutoCommit(true);
                }
                s.executeUpdate("drop table judge_save");
            }
        }
    }

    private static boolean failed(Checks.Action action) throws Exception {
        try {
            action.run();
            return false;
        } catch (SQLException e) {
            return true;
        }
    }

    private void holdability() throws Exception {
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            s.executeUpdate("create temp table held (a integer) with no log");
            for (int i = 0; i < 500; i++) {
                s.addBatch("insert into held values (" + i + ")");
            }
            s.executeBatch();
            checks.equal("default holdability", ResultSet.CLOSE_CURSORS_AT_COMMIT, c.getHoldability());
            c.setAutoCommit(false);
            for (int hold : new int[] {ResultSet.HOLD_CURSORS_OVER_COMMIT, ResultSet.CLOSE_CURSORS_AT_COMMIT}) {
                for (boolean commit : new boolean[] {true, false}) {
                    try (Statement t = c.createStatement(ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_READ_ONLY, hold);
                            ResultSet r = t.executeQuery("select a from held")) {
                        checks.that("a row", r.next());
                        s.executeUpdate("update held set a = a where a = 1");
                        if (commit) {
                            c.commit();
                        } else {
                            c.rollback();
                        }
                        String what = "hold " + hold + " commit " + commit;
                        if (hold == ResultSet.HOLD_CURSORS_OVER_COMMIT && commit) {
                            int rows = 1;
                            while (r.next()) {
                                rows++;
                            }
                            checks.equal(what, 500, rows);
                        } else {
                            checks.that(what, failed(() -> {
                                while (r.next()) {
                                    r.getInt(1);
                                }
                            }) || hold == ResultSet.HOLD_CURSORS_OVER_COMMIT);
                        }
                    }
                    c.rollback();
                }
            }
        }
    }

    private void updatable() throws Exception {
        String[] keys = {"id serial primary key", "id integer not null primary key", "id integer"};
        for (String key : keys) {
            for (int type : new int[] {ResultSet.TYPE_FORWARD_ONLY, ResultSet.TYPE_SCROLL_INSENSITIVE}) {
                String what = key + " type " + type;
                boolean rowid = !key.contains("key");
                try (Connection c = server.connect(); Statement s = c.createStatement()) {
                    s.executeUpdate("create table judge_place (" + key + ", n varchar(20), d decimal(8,2), t date)");
                    try {
                        for (int i = 1; i <= 6; i++) {
                            s.executeUpdate("insert into judge_place values (" + i + ", 'row " + i + "', " + i + ".5, null)");
                        }
                        try (Statement u = c.createStatement(type, ResultSet.CONCUR_UPDATABLE);
                                ResultSet r = u.executeQuery("select " + (rowid ? "rowid, " : "") + "id, n, d, t from judge_place")) {
                            while (r.next()) {
                                int id = r.getInt("id");
                                if (id % 3 == 0) {
                                    r.deleteRow();
                                } else if (id % 3 == 1) {
                                    r.updateString("n", "changed " + id);
                                    r.updateBigDecimal("d", new java.math.BigDecimal("-1.25"));
                                    r.updateDate("t", java.sql.Date.valueOf("2024-02-29"));
                                    r.updateRow();
                                }
                            }
                        } catch (SQLException e) {
                            checks.fail(what + ": " + e.getErrorCode() + " " + e.getMessage());
                        }
                        List<String> rows = new ArrayList<>();
                        try (ResultSet r = s.executeQuery("select id, n, d, t from judge_place order by id")) {
                            while (r.next()) {
                                rows.add(r.getInt(1) + "|" + r.getString(2) + "|" + r.getBigDecimal(3) + "|" + r.getDate(4));
                            }
                        }
                        checks.equal(what, "[1|changed 1|-1.25|2024-02-29, 2|row 2|2.50|null, 4|changed 4|-1.25|2024-02-29,"
                                + " 5|row 5|5.50|null]", rows.toString());
                    } finally {
                        s.executeUpdate("drop table judge_place");
                    }
                }
            }
        }
    }

    private void keys() throws Exception {
        for (String type : new String[] {"serial", "serial8", "bigserial"}) {
            try (Connection c = server.connect(); Statement s = c.createStatement()) {
                s.executeUpdate("create temp table keyed (a varchar(5), id " + type + "(7) not null, b integer) with no log");
                checks.equal(type + " by name", 1, s.executeUpdate("insert into keyed (a) values ('x')", new String[] {"id"}));
                checks.equal(type + " by name", 7L, key(s));
                checks.equal(type + " by place", 1, s.executeUpdate("insert into keyed (b) values (1)", new int[] {2}));
                checks.equal(type + " by place", 8L, key(s));
                try (PreparedStatement p = c.prepareStatement("insert into keyed values (?, 0, ?)", new String[] {"id"})) {
                    for (int i = 0; i < 3; i++) {
                        p.setString(1, "p");
                        p.setInt(2, i);
                        p.executeUpdate();
                        checks.equal(type + " prepared", 9L + i, key(p));
                    }
                }
                s.executeUpdate("update keyed set b = 5 where id = 7", Statement.RETURN_GENERATED_KEYS);
                checks.equal(type + " of an UPDATE", -1L, key(s));
                s.executeUpdate("insert into keyed (id, b) values (40, 1)", Statement.RETURN_GENERATED_KEYS);
                checks.equal(type + " given", 40L, key(s));
            }
        }
    }

    private static long key(Statement s) throws SQLException {
        try (ResultSet r = s.getGeneratedKeys()) {
            return r != null && r.next() ? r.getLong(1) : -1L;
        }
    }

    private void closing() throws Exception {
        try (Connection c = server.connect()) {
            for (int i = 0; i < 300; i++) {
                PreparedStatement p = c.prepareStatement("select tabname from systables where tabid >= ?");
                p.setInt(1, i % 50);
                ResultSet r = p.executeQuery();
                checks.that("a row", r.next());
                if (i % 3 == 0) {
                    r.close();
                }
                if (i % 2 == 0) {
                    p.close();
                }
            }
            checks.equal("usable", 1, Connecting.one(c, "select tabid from systables where tabid = 1"));
        }
    }
}
