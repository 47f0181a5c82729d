import com.informix.jdbcx.IfxXADataSource;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.XAConnection;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;

/** XADataSource: branches of distributed transactions. */
final class Distributed {
    private final Checks checks;
    private final Server server;

    Distributed(Checks checks, Server server) {
        this.checks = checks;
        this.server = server;
    }

    /** An id made of a number. */
    private record Branch(int number) implements Xid {
        @Override
        public int getFormatId() {
            return 0x1234;
        }

        @Override
        public byte[] getGlobalTransactionId() {
            return ("global-" + number).getBytes(StandardCharsets.US_ASCII);
        }

        @Override
        public byte[] getBranchQualifier() {
            return ("branch-" + number).getBytes(StandardCharsets.US_ASCII);
        }
    }

    void run() {
        checks.section("XA: one phase, two phases, rollback", this::phases);
        checks.section("XA: a prepared branch and its connection", this::survives);
        checks.section("XA: suspend, resume, join", this::resumed);
        checks.section("XA: what is refused", this::refused);
    }

    private XAConnection open() throws SQLException {
        IfxXADataSource source = new IfxXADataSource();
        source.setIfxIFXHOST(server.host);
        source.setPortNumber(server.port);
        source.setServerName("informix");
        source.setDatabaseName("testdb");
        source.setUser("informix");
        source.setPassword("in4mix");
        return source.getXAConnection();
    }

    /** With a table for the time of the action. */
    private void with(Checks.Action action) throws Exception {
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            s.executeUpdate("create table judge_xa (a integer not null)");
            try {
                action.run();
            } finally {
                s.executeUpdate("drop table judge_xa");
            }
        }
    }

    /** What is committed. */
    private int count() throws Exception {
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            s.execute("set isolation to committed read last committed");
            return Connecting.one(c, "select count(*) from judge_xa");
        }
    }

    private static void insert(Connection c, int value) throws SQLException {
        try (Statement s = c.createStatement()) {
            s.executeUpdate("insert into judge_xa values (" + value + ")");
        }
    }

    private void phases() throws Exception {
        with(() -> {
            XAConnection xa = open();
            try {
                XAResource resource = xa.getXAResource();
                Connection c = xa.getConnection();
                Xid one = new Branch(1);
                resource.start(one, XAResource.TMNOFLAGS);
                insert(c, 1);
                checks.equal("not seen before the commit", 0, count());
                resource.end(one, XAResource.TMSUCCESS);
                resource.commit(one, true);
                checks.equal("one phase", 1, count());

                Xid two = new Branch(2);
                resource.start(two, XAResource.TMNOFLAGS);
                insert(c, 2);
                insert(c, 3);
                resource.end(two, XAResource.TMSUCCESS);
                checks.equal("vote", XAResource.XA_OK, resource.prepare(two));
                checks.equal("not seen when prepared", 1, count());
                resource.commit(two, false);
                checks.equal("two phases", 3, count());

                Xid three = new Branch(3);
                resource.start(three, XAResource.TMNOFLAGS);
                insert(c, 4);
                resource.end(three, XAResource.TMSUCCESS);
                resource.rollback(three);
                checks.equal("rolled back after end", 3, count());

                Xid four = new Branch(4);
                resource.start(four, XAResource.TMNOFLAGS);
                insert(c, 5);
                resource.end(four, XAResource.TMSUCCESS);
                checks.equal("vote", XAResource.XA_OK, resource.prepare(four));
                resource.rollback(four);
                checks.equal("rolled back after prepare", 3, count());

                Xid five = new Branch(5);
                resource.start(five, XAResource.TMNOFLAGS);
                checks.equal("reads", 3, Connecting.one(c, "select count(*) from judge_xa"));
                resource.end(five, XAResource.TMSUCCESS);
                checks.equal("read only", XAResource.XA_RDONLY, resource.prepare(five));

                Xid six = new Branch(6);
                resource.start(six, XAResource.TMNOFLAGS);
                insert(c, 6);
                resource.end(six, XAResource.TMFAIL);
                resource.rollback(six);
                checks.equal("given up", 3, count());

                insert(c, 7);
                checks.equal("between branches the connection works alone", 4, count());
                checks.that("same server", resource.isSameRM(resource));
            } finally {
                xa.close();
            }
        });
    }

    private void survives() throws Exception {
        with(() -> {
            Xid kept = new Branch(20);
            Xid lost = new Branch(21);
            XAConnection first = open();
            XAResource resource = first.getXAResource();
            resource.start(kept, XAResource.TMNOFLAGS);
            insert(first.getConnection(), 1);
            resource.end(kept, XAResource.TMSUCCESS);
            checks.equal("vote", XAResource.XA_OK, resource.prepare(kept));
            first.close();

            XAConnection second = open();
            resource = second.getXAResource();
            Xid[] found = resource.recover(XAResource.TMSTARTRSCAN | XAResource.TMENDRSCAN);
            checks.equal("branches to recover", 1, found.length);
            checks.equal("format", kept.getFormatId(), found[0].getFormatId());
            checks.that("global part", java.util.Arrays.equals(kept.getGlobalTransactionId(),
                    found[0].getGlobalTransactionId()));
            checks.that("branch part", java.util.Arrays.equals(kept.getBranchQualifier(),
                    found[0].getBranchQualifier()));
            checks.equal("nothing is seen", 0, count());
            resource.commit(kept, false);
            checks.equal("committed by another connection", 1, count());
            // The driver gives null and not an empty array.
            checks.equal("nothing to recover", null,
                    resource.recover(XAResource.TMSTARTRSCAN | XAResource.TMENDRSCAN));

            resource.start(lost, XAResource.TMNOFLAGS);
            insert(second.getConnection(), 2);
            second.close();
            checks.equal("an unprepared branch ends with its connection", 1, count());
            XAConnection third = open();
            insert(third.getConnection(), 3);
            checks.equal("and leaves no lock", 2, count());
            third.close();
        });
    }

    private void resumed() throws Exception {
        with(() -> {
            XAConnection xa = open();
            XAConnection other = open();
            try {
                Xid id = new Branch(30);
                XAResource resource = xa.getXAResource();
                resource.start(id, XAResource.TMNOFLAGS);
                insert(xa.getConnection(), 1);
                resource.end(id, XAResource.TMSUSPEND);
                checks.fails("suspended, so its row is another's", -244,
                        () -> Connecting.one(xa.getConnection(), "select count(*) from judge_xa"));
                resource.start(id, XAResource.TMRESUME);
                checks.equal("own row again", 1,
                        Connecting.one(xa.getConnection(), "select count(*) from judge_xa"));
                insert(xa.getConnection(), 2);
                resource.end(id, XAResource.TMSUCCESS);
                other.getXAResource().start(id, XAResource.TMJOIN);
                insert(other.getConnection(), 3);
                checks.equal("all rows of the branch", 3,
                        Connecting.one(other.getConnection(), "select count(*) from judge_xa"));
                other.getXAResource().end(id, XAResource.TMSUCCESS);
                checks.equal("vote", XAResource.XA_OK, resource.prepare(id));
                resource.commit(id, false);
                checks.equal("committed", 3, count());
            } finally {
                xa.close();
                other.close();
            }
        });
    }

    private interface Step {
        void run() throws Exception;
    }

    private void refuses(String what, int code, Step step) throws Exception {
        try {
            step.run();
            checks.fail(what + ": expected XA error " + code);
        } catch (XAException e) {
            checks.equal(what, code, e.errorCode);
        }
    }

    private void refused() throws Exception {
        with(() -> {
            XAConnection xa = open();
            XAConnection other = open();
            try {
                XAResource resource = xa.getXAResource();
                Connection c = xa.getConnection();
                Xid id = new Branch(40);
                refuses("commit of an unknown one", XAException.XAER_NOTA, () -> resource.commit(id, false));
                refuses("rollback of an unknown one", XAException.XAER_NOTA, () -> resource.rollback(id));
                refuses("prepare of an unknown one", XAException.XAER_NOTA, () -> resource.prepare(id));
                refuses("forget of an unknown one", XAException.XAER_NOTA, () -> resource.forget(id));
                refuses("end of an unknown one", XAException.XAER_NOTA,
                        () -> resource.end(id, XAResource.TMSUCCESS));
                refuses("join of an unknown one", XAException.XAER_NOTA,
                        () -> resource.start(id, XAResource.TMJOIN));
                resource.start(id, XAResource.TMNOFLAGS);
                insert(c, 1);
                refuses("the same id again", XAException.XAER_DUPID,
                        () -> other.getXAResource().start(id, XAResource.TMNOFLAGS));
                try (Statement s = c.createStatement()) {
                    checks.fails("COMMIT WORK in a branch", -701, () -> s.execute("commit work"));
                }
                resource.end(id, XAResource.TMSUCCESS);
                refuses("the second phase before the first", XAException.XAER_PROTO,
                        () -> resource.commit(id, false));
                resource.prepare(id);
                refuses("one phase of a prepared one", XAException.XAER_PROTO, () -> resource.commit(id, true));
                refuses("joining a prepared one", XAException.XAER_PROTO,
                        () -> resource.start(id, XAResource.TMJOIN));
                resource.rollback(id);
                checks.equal("nothing was kept", 0, count());
            } finally {
                xa.close();
                other.close();
            }
        });
    }
}
