import java.net.ServerSocket;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Login: what must work and what must be refused, with which code. */
final class Connecting {
    private final Checks checks;
    private final Server server;

    Connecting(Checks checks, Server server) {
        this.checks = checks;
        this.server = server;
    }

    void run() {
        checks.section("connect", this::good);
        checks.section("connect refused", this::refused);
        checks.section("connect options", this::options);
        checks.section("many connections", this::many);
    }

    private void good() throws Exception {
        try (Connection c = server.connect()) {
            checks.that("a connection is valid", c.isValid(5));
            checks.equal("product", "IBM Informix Dynamic Server", c.getMetaData().getDatabaseProductName());
            checks.that("version", c.getMetaData().getDatabaseProductVersion().matches("\\d+\\..*"));
            checks.equal("one", 1, one(c, "select 1 from systables where tabid = 1"));
        }
        // Without a database, then one by name.
        String url = "jdbc:informix-sqli://" + server.host + ":" + server.port + ":INFORMIXSERVER=informix";
        try (Connection c = DriverManager.getConnection(url, "informix", "in4mix");
                Statement s = c.createStatement()) {
            s.execute("database testdb");
            checks.equal("after DATABASE", 1, one(c, "select 1 from systables where tabid = 1"));
        }
        try (Connection c = server.connect("sysmaster", "")) {
            checks.equal("testdb is known", 1, one(c, "select count(*) from sysdatabases where name = 'testdb'"));
        }
    }

    private void refused() throws Exception {
        checks.fails("wrong password", -951,
                () -> DriverManager.getConnection(server.url("testdb", ""), "informix", "wrong").close());
        checks.fails("wrong user", -951,
                () -> DriverManager.getConnection(server.url("testdb", ""), "nobody", "in4mix").close());
        checks.fails("wrong database", -329, () -> server.connect("nosuchdb", "").close());
        String other = "jdbc:informix-sqli://" + server.host + ":" + server.port + "/testdb:INFORMIXSERVER=other";
        checks.fails("wrong server name", -761,
                () -> DriverManager.getConnection(other, "informix", "in4mix").close());
        int free;
        try (ServerSocket socket = new ServerSocket(0)) {
            free = socket.getLocalPort();
        }
        String closed = "jdbc:informix-sqli://" + server.host + ":" + free + "/testdb:INFORMIXSERVER=informix";
        checks.fails("closed port", -908, () -> DriverManager.getConnection(closed, "informix", "in4mix").close());
        try (Connection c = server.connect()) {
            checks.that("the server still serves", c.isValid(5));
        }
    }

    /**
     * Properties that change the login, SQ_INFO or the first statements. USEV5SERVER is left out: the answer to its
     * one-line login is not known.
     */
    private void options() throws Exception {
        String[] options = {
            "DELIMIDENT=y", "IFX_PAD_VARCHAR=1", "OPTOFC=1", "IFX_AUTOFREE=1", "FET_BUF_SIZE=32767",
            "IFX_LOCK_MODE_WAIT=5", "IFX_LOCK_MODE_WAIT=-1", "IFX_ISOLATION_LEVEL=1", "IFX_ISOLATION_LEVEL=2U",
            "IFX_ISOLATION_LEVEL=5", "CLIENT_LOCALE=en_US.utf8;DB_LOCALE=en_US.8859-1",
            "IFX_TRIMTRAILINGSPACES=1", "IFX_SOC_KEEPALIVE=true", "CLIENT_LABEL=judge", "DBTIME=%d/%m/%Y",
        };
        for (String option : options) {
            try (Connection c = server.connect("testdb", option)) {
                checks.equal(option, 7, one(c, "select 7 from systables where tabid = 1"));
                checks.equal(option + " varchar", "systables",
                        text(c, "select tabname from systables where tabid = 1"));
            } catch (Exception e) {
                checks.fail(option + ": " + e);
            }
        }
    }

    private void many() throws Exception {
        List<Connection> open = new ArrayList<>();
        try {
            for (int i = 0; i < 20; i++) {
                open.add(server.connect());
            }
            for (int i = 0; i < 20; i++) {
                checks.equal("connection " + i, i, one(open.get(i), "select " + i + " from systables where tabid = 1"));
            }
        } finally {
            for (Connection c : open) {
                c.close();
            }
        }
    }

    static int one(Connection c, String sql) throws Exception {
        try (Statement s = c.createStatement(); ResultSet r = s.executeQuery(sql)) {
            return r.next() ? r.getInt(1) : Integer.MIN_VALUE;
        }
    }

    static String text(Connection c, String sql) throws Exception {
        try (Statement s = c.createStatement(); ResultSet r = s.executeQuery(sql)) {
            return r.next() ? r.getString(1).trim() : null;
        }
    }
}
