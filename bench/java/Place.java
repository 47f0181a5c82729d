import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Collections;

/** Where a server listens, and a connection to it that is opened at first use. */
final class Place {
    private final String url;
    private final String user;
    private final String password;
    private Connection connection;

    Place(String host, int port, String user, String password, String database, String server) {
        this.url = "jdbc:informix-sqli://" + host + ":" + port + "/" + database + ":INFORMIXSERVER=" + server + ";";
        this.user = user;
        this.password = password;
    }

    /** A new connection; with autocommit, as JDBC has it. */
    Connection connect() throws SQLException {
        return DriverManager.getConnection(url, user, password);
    }

    /** The connection of this place. */
    Connection connection() throws SQLException {
        if (connection == null) {
            connection = connect();
        }
        return connection;
    }

    static String driverVersion() {
        for (Driver driver : Collections.list(DriverManager.getDrivers())) {
            if (driver.getClass().getName().startsWith("com.informix")) {
                return driver.getMajorVersion() + "." + driver.getMinorVersion();
            }
        }
        return "unknown";
    }
}
