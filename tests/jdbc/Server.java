import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** The embedded server of this run, started on a free port; closed with the program. */
final class Server implements AutoCloseable {
    final String host = "127.0.0.1";
    final int port;
    private final Process process;
    /** The program, to start another one. */
    private final String ifx;

    private Server(Process process, int port, String ifx) {
        this.process = process;
        this.port = port;
        this.ifx = ifx;
    }

    /** A server that somebody else runs. */
    static Server at(int port) {
        return new Server(null, port, null);
    }

    /** A further server with arguments of its own; null when the program is not known. */
    Server another(String... arguments) throws IOException {
        return ifx == null ? null : start(ifx, arguments);
    }

    /** Starts `ifx serve --port 0` and reads the port from its first line. */
    static Server start(String ifx, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(ifx, "serve", "--port", "0"));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.redirectError(ProcessBuilder.Redirect.INHERIT);
        Process process = builder.start();
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        String first = lines.readLine();
        String start = "listening on 127.0.0.1:";
        if (first == null || !first.startsWith(start)) {
            process.destroy();
            throw new IOException("unexpected first line of ifx serve: " + first);
        }
        return new Server(process, Integer.parseInt(first.substring(start.length()).trim()), ifx);
    }

    String url(String database, String more) {
        return "jdbc:informix-sqli://" + host + ":" + port + "/" + database + ":INFORMIXSERVER=informix;" + more;
    }

    /** A connection to the logged database. */
    Connection connect() throws SQLException {
        return connect("testdb", "");
    }

    Connection connect(String database, String more) throws SQLException {
        return DriverManager.getConnection(url(database, more), "informix", "in4mix");
    }

    @Override
    public void close() {
        if (process != null) {
            process.destroy();
        }
    }
}
