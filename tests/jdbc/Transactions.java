import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;

/** Commit, rollback, savepoints, isolation between connections. */
final class Transactions {
    private final Checks checks;
    private final Server server;

    Transactions(Checks checks, Server server) {
        this.checks = checks;
        this.server = server;
    }

    void run() {
        checks.section("commit and rollback", this::commitRollback);
        checks.section("DDL in a transaction", this::ddl);
        checks.section("savepoints", this::savepoints);
        checks.section("transactions by SQL", this::bySql);
        checks.section("lost connection", this::lost);
        checks.section("isolation levels", this::isolation);
        checks.section("locks", this::locks);
        checks.section("cancel in a transaction", this::cancelled);
    }

    private void commitRollback() throws Exception {
        try (Connection a = server.connect(); Connection b = server.connect(); Statement s = a.createStatement()) {
            s.executeUpdate("create table judge_tx (a integer)");
            try {
                a.setAutoCommit(false);
                s.executeUpdate("insert into judge_tx values (1)");
                checks.equal("own rows", 1, count(a));
                a.rollback();
                checks.equal("rolled back", 0, count(a));
                try (PreparedStatement p = a.prepareStatement("insert into judge_tx values (?)")) {
                    for (int i = 0; i < 3; i++) {
                        p.setInt(1, i);
                        p.executeUpdate();
                    }
                }
                a.commit();
                checks.equal("committed", 3, count(a));
                a.commit();
                checks.equal("the other connection sees it", 3, count(b));
                s.executeUpdate("update judge_tx set a = a + 10");
                a.rollback();
                checks.equal("update undone", 3, Connecting.one(a, "select sum(a) from judge_tx"));
                s.executeUpdate("delete from judge_tx");
                a.rollback();
                checks.equal("delete undone", 3, count(a));
                a.commit();
            } finally {
                a.setAutoCommit(true);
                s.executeUpdate("drop table judge_tx");
            }
        }
    }

    private static int count(Connection c) throws Exception {
        return Connecting.one(c, "select count(*) from judge_tx");
    }

    private void ddl() throws Exception {
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            c.setAutoCommit(false);
            s.executeUpdate("create table judge_ddl (a integer)");
            s.executeUpdate("insert into judge_ddl values (1)");
            c.rollback();
            checks.fails("the table is gone", -206, () -> s.executeQuery("select * from judge_ddl"));
            c.rollback();
            checks.equal("and its catalog row", 0,
                    Connecting.one(c, "select count(*) from systables where tabname = 'judge_ddl'"));
        }
    }

    private void savepoints() throws Exception {
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            s.executeUpdate("create table judge_tx (a integer)");
            try {
                c.setAutoCommit(false);
                s.executeUpdate("insert into judge_tx values (1)");
                Savepoint one = c.setSavepoint("one");
                s.executeUpdate("insert into judge_tx values (2)");
                Savepoint two = c.setSavepoint("two");
                s.executeUpdate("insert into judge_tx values (3)");
                c.rollback(two);
                checks.equal("back to two", 2, count(c));
                c.rollback(one);
                checks.equal("back to one", 1, count(c));
                c.releaseSavepoint(one);
                c.commit();
                checks.equal("kept", 1, count(c));
                c.commit();
            } finally {
                c.setAutoCommit(true);
                s.executeUpdate("drop table judge_tx");
            }
        }
    }

    private void bySql() throws Exception {
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            s.executeUpdate("create table judge_tx (a integer)");
            try {
                s.execute("begin work");
                s.executeUpdate("insert into judge_tx values (1)");
                s.execute("rollback work");
                checks.equal("rolled back", 0, count(c));
                s.execute("begin work");
                checks.fails("begin twice", -535, () -> s.execute("begin work"));
                s.executeUpdate("insert into judge_tx values (1)");
                s.execute("commit work");
                checks.equal("committed", 1, count(c));
                checks.fails("commit without begin", -255, () -> s.execute("commit work"));
                checks.fails("rollback without begin", -255, () -> s.execute("rollback work"));
            } finally {
                s.executeUpdate("drop table judge_tx");
            }
        }
    }

    /** A connection that goes away with an open transaction leaves nothing. */
    private void lost() throws Exception {
        try (Connection keep = server.connect(); Statement s = keep.createStatement()) {
            s.executeUpdate("create table judge_tx (a integer)");
            try {
                Connection c = server.connect();
                c.setAutoCommit(false);
                try (Statement inner = c.createStatement()) {
                    inner.executeUpdate("insert into judge_tx values (1)");
                }
                c.close();
                checks.equal("no row", 0, count(keep));
                checks.equal("no lock", 1, s.executeUpdate("insert into judge_tx values (2)"));
            } finally {
                s.executeUpdate("drop table judge_tx");
            }
        }
    }

    private void isolation() throws Exception {
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            int[] levels = {Connection.TRANSACTION_READ_UNCOMMITTED, Connection.TRANSACTION_READ_COMMITTED,
                Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE};
            for (int level : levels) {
                c.setTransactionIsolation(level);
                checks.equal("level", level, c.getTransactionIsolation());
                checks.that("usable at " + level, c.isValid(5));
            }
            String[] statements = {"set isolation to dirty read", "set isolation to committed read",
                "set isolation to cursor stability", "set isolation to repeatable read",
                "set isolation to committed read last committed", "set lock mode to wait",
                "set lock mode to wait 3", "set lock mode to not wait"};
            for (String sql : statements) {
                try {
                    s.execute(sql);
                    checks.that(sql, true);
                } catch (Exception e) {
                    checks.fail(sql + ": " + e);
                }
            }
        }
    }

    /** A row that one connection has changed or read: what the other one may do with it. */
    private void locks() throws Exception {
        try (Connection a = server.connect(); Connection b = server.connect(); Statement sa = a.createStatement();
                Statement sb = b.createStatement()) {
            sa.executeUpdate("create table judge_tx (a integer)");
            try {
                sa.executeUpdate("insert into judge_tx values (1)");
                sb.execute("set lock mode to not wait");
                a.setAutoCommit(false);
                sa.executeUpdate("update judge_tx set a = 2");
                checks.fails("a second writer", -346, () -> sb.executeUpdate("update judge_tx set a = 3"));
                checks.fails("one that deletes", -244, () -> sb.executeUpdate("delete from judge_tx"));
                checks.fails("a reader", -244, () -> Connecting.one(b, "select a from judge_tx"));
                sb.execute("set isolation to committed read last committed");
                checks.equal("what was committed last", 1, Connecting.one(b, "select a from judge_tx"));
                sb.execute("set isolation to dirty read");
                checks.equal("dirty", 2, Connecting.one(b, "select a from judge_tx"));
                sb.execute("set isolation to committed read");
                a.commit();
                checks.equal("now it works", 1, sb.executeUpdate("update judge_tx set a = 3"));
                try (ResultSet r = sa.executeQuery("select a from judge_tx")) {
                    checks.equal("value", 3, r.next() ? r.getInt(1) : -1);
                }
                a.commit();

                sb.execute("set lock mode to wait");
                sa.executeUpdate("update judge_tx set a = 4");
                Thread waits = new Thread(() -> {
                    try {
                        sb.executeUpdate("update judge_tx set a = a + 10");
                    } catch (java.sql.SQLException e) {
                        checks.fail("one that waits: " + e);
                    }
                });
                waits.start();
                a.commit();
                waits.join();
                checks.equal("after the wait", 14, Connecting.one(a, "select a from judge_tx"));
                sb.execute("set lock mode to not wait");

                try (PreparedStatement p = a.prepareStatement("select a from judge_tx for update");
                        ResultSet r = p.executeQuery()) {
                    checks.that("a row for update", r.next());
                    checks.fails("it is locked", -346, () -> sb.executeUpdate("update judge_tx set a = 5"));
                    checks.equal("but can be read", 14, Connecting.one(b, "select a from judge_tx"));
                }
                a.commit();
                a.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
                checks.equal("repeatable read", 14, Connecting.one(a, "select a from judge_tx"));
                checks.fails("what it has read", -346, () -> sb.executeUpdate("update judge_tx set a = 5"));
                a.commit();
                checks.equal("free again", 1, sb.executeUpdate("update judge_tx set a = 5"));
                a.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
                sa.execute("lock table judge_tx in exclusive mode");
                checks.fails("a locked table", -244, () -> Connecting.one(b, "select a from judge_tx"));
                a.commit();
            } finally {
                a.setAutoCommit(true);
                sa.executeUpdate("drop table judge_tx");
            }
        }
    }

    /** A statement that times out or is cancelled is undone; the transaction around it goes on. */
    private void cancelled() throws Exception {
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            s.executeUpdate("create table judge_cancel (a integer)");
            try {
                c.setAutoCommit(false);
                for (int i = 1; i <= 40; i++) {
                    s.executeUpdate("insert into judge_cancel values (" + i + ")");
                }
                String never = " from judge_cancel a, judge_cancel b, judge_cancel d, judge_cancel e, judge_cancel f, judge_cancel g"
                        + " where a.a + b.a + d.a + e.a + f.a + g.a < 0";
                String[] slow = {
                    "update judge_cancel set a = (select count(*)" + never + ")",
                    "insert into judge_cancel select a.a" + never,
                    "delete from judge_cancel where a > (select count(*)" + never + ")",
                };
                for (String statement : slow) {
                    s.setQueryTimeout(1);
                    try {
                        s.executeUpdate(statement);
                        checks.that("it ends by its timeout: " + statement, false);
                    } catch (SQLException e) {
                        checks.that("timeout code, got " + e.getErrorCode(),
                                e.getErrorCode() == -213 || e.getErrorCode() == -80505);
                    }
                    s.setQueryTimeout(0);
                    checks.equal("the earlier work is there", 40, Connecting.one(c, "select count(*) from judge_cancel"));
                }
                Thread canceller = new Thread(() -> {
                    try {
                        Thread.sleep(200);
                        s.cancel();
                    } catch (Exception e) {
                        checks.that("cancel: " + e, false);
                    }
                });
                canceller.start();
                try {
                    s.executeUpdate(slow[0]);
                    checks.that("it ends by cancel", false);
                } catch (SQLException e) {
                    checks.equal("cancel code", -213, e.getErrorCode());
                }
                canceller.join();
                s.executeUpdate("insert into judge_cancel values (41)");
                c.commit();
                checks.equal("sum", 41 * 42 / 2, Connecting.one(c, "select sum(a) from judge_cancel"));
            } finally {
                c.rollback();
                c.setAutoCommit(true);
                s.executeUpdate("drop table judge_cancel");
            }
        }
    }
}
