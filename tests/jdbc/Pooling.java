import com.informix.jdbcx.IfxConnectionPoolDataSource;
import com.informix.jdbcx.IfxDataSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.ConnectionEvent;
import javax.sql.ConnectionEventListener;
import javax.sql.PooledConnection;

/** The driver's data sources: plain, and pooled as application servers use them. */
final class Pooling {
    private final Checks checks;
    private final Server server;

    Pooling(Checks checks, Server server) {
        this.checks = checks;
        this.server = server;
    }

    void run() {
        checks.section("data source", this::plain);
        checks.section("pooled connection", this::pooled);
        checks.section("pooled connection that breaks", this::broken);
    }

    private void plain() throws Exception {
        IfxDataSource source = new IfxDataSource();
        source.setIfxIFXHOST(server.host);
        source.setPortNumber(server.port);
        source.setServerName("informix");
        source.setDatabaseName("testdb");
        source.setUser("informix");
        source.setPassword("in4mix");
        source.setLoginTimeout(10);
        try (Connection c = source.getConnection()) {
            checks.equal("a query", 1, Connecting.one(c, "select tabid from systables where tabid = 1"));
        }
        try (Connection c = source.getConnection("informix", "in4mix")) {
            checks.that("valid", c.isValid(5));
        }
        checks.fails("wrong password", -951, () -> source.getConnection("informix", "wrong").close());
    }

    private PooledConnection open() throws SQLException {
        IfxConnectionPoolDataSource source = new IfxConnectionPoolDataSource();
        source.setIfxIFXHOST(server.host);
        source.setPortNumber(server.port);
        source.setServerName("informix");
        source.setDatabaseName("testdb");
        return source.getPooledConnection("informix", "in4mix");
    }

    /** Which session of the server a connection is. */
    private static int session(Connection c) throws Exception {
        return Connecting.one(c, "select dbinfo('sessionid') from systables where tabid = 1");
    }

    private void pooled() throws Exception {
        PooledConnection pooled = open();
        List<String> events = new ArrayList<>();
        pooled.addConnectionEventListener(new ConnectionEventListener() {
            @Override
            public void connectionClosed(ConnectionEvent event) {
                events.add("closed");
            }

            @Override
            public void connectionErrorOccurred(ConnectionEvent event) {
                events.add("error");
            }
        });
        try {
            int first;
            try (Connection c = pooled.getConnection(); Statement s = c.createStatement()) {
                first = session(c);
                s.executeUpdate("create temp table kept (a integer) with no log");
                s.executeUpdate("insert into kept values (1)");
                c.setAutoCommit(false);
                s.executeUpdate("create table pooled_t (a integer)");
                c.rollback();
                c.setAutoCommit(true);
            }
            checks.equal("events", List.of("closed"), events);
            try (Connection c = pooled.getConnection()) {
                checks.equal("the same session", first, session(c));
                checks.fails("rolled back", -206, () -> Connecting.one(c, "select count(*) from pooled_t"));
                checks.that("commits by itself", c.getAutoCommit());
                checks.equal("used again", 1, Connecting.one(c, "select count(*) from systables where tabid = 1"));
            }
            Connection before = pooled.getConnection();
            Connection after = pooled.getConnection();
            checks.equal("a second handle is the same session", first, session(after));
            before.close();
            after.close();
        } finally {
            pooled.close();
        }
    }

    private void broken() throws Exception {
        PooledConnection pooled = open();
        try (Connection c = pooled.getConnection(); Statement s = c.createStatement()) {
            checks.fails("an error of a statement", -206, () -> s.executeQuery("select * from nowhere_at_all").close());
            try (ResultSet r = s.executeQuery("select tabid from systables where tabid = 1")) {
                checks.that("goes on", r.next());
            }
        } finally {
            pooled.close();
        }
    }
}
