import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * The workloads of bench/workloads that make sense with JDBC. Where our driver keeps a statement prepared, so does this: the
 * PreparedStatement is made once.
 */
final class Workloads {
    private static final AtomicInteger TABLES = new AtomicInteger();

    private Workloads() {}

    /** The operation of a request; null for one that is not here. */
    static Operation make(Map<String, String> request, Place place) throws SQLException {
        int rows = Integer.parseInt(request.getOrDefault("rows", "0"));
        switch (request.get("workload")) {
            case "select_one":
                return number(place.connection().prepareStatement("SELECT 1 FROM systables WHERE tabid = 1"), 1);
            case "select_one_parameter":
                return half(place, Rows.NAMES, "id = ?", 321, found -> Rows.check(found.get(0), 321), 1);
            case "select_first_time":
                return firstTime(place.connection());
            case "select_systables":
                return systables(place.connection());
            case "select_half":
                return half(place, "id, name", "id >= ?", 500, found -> Rows.expect(found.get(499)[0], 999), 500);
            case "connect_close":
                return operation(() -> {
                    place.connect().close();
                    return null;
                }, nothing -> {});
            case "fetch_tuples":
                return fetch(place.connection(), rows);
            case "fetch_streamed":
                return stream(place.connection(), rows);
            case "insert_many":
                return insert(place, rows, false);
            case "insert_many_autocommit":
                return insert(place, rows, true);
            case "insert_one":
                return insert(place, 1, true);
            default:
                return null;
        }
    }

    private static <T> Operation operation(Callable<T> run, Checked<T> check) {
        return new Operation() {
            @Override
            public Object run() throws Exception {
                return run.call();
            }

            @Override
            @SuppressWarnings("unchecked")
            public void check(Object result) throws Exception {
                check.accept((T) result);
            }
        };
    }

    private interface Checked<T> {
        void accept(T result) throws Exception;
    }

    private static Operation number(PreparedStatement statement, int wanted) {
        return operation(() -> {
            try (ResultSet result = statement.executeQuery()) {
                return result.next() ? result.getInt(1) : null;
            }
        }, found -> Rows.expect(found, wanted));
    }

    private static Operation firstTime(Connection connection) {
        AtomicInteger number = new AtomicInteger();
        return operation(() -> {
            String text = "SELECT " + number.incrementAndGet() + " FROM systables WHERE tabid = 1";
            try (Statement statement = connection.createStatement(); ResultSet result = statement.executeQuery(text)) {
                return result.next() ? result.getInt(1) : null;
            }
        }, found -> Rows.expect(found, number.get()));
    }

    private static Operation systables(Connection connection) throws SQLException {
        PreparedStatement statement =
                connection.prepareStatement("SELECT FIRST 10 tabname, owner, tabid, ncols FROM systables");
        return operation(() -> {
            List<Object[]> rows = new ArrayList<>();
            try (ResultSet result = statement.executeQuery()) {
                while (result.next()) {
                    rows.add(new Object[] {result.getString(1), result.getString(2), result.getInt(3), result.getInt(4)});
                }
            }
            return rows;
        }, found -> {
            Rows.expect(found.size(), 10);
            Rows.expect(found.get(0)[0], "systables");
        });
    }

    private static Operation half(
            Place place, String columns, String condition, int key, Consumer<List<Object[]>> check, int count)
            throws SQLException {
        PreparedStatement statement =
                place.connection().prepareStatement("SELECT " + columns + " FROM bench_1000 WHERE " + condition);
        boolean all = columns.equals(Rows.NAMES);
        return operation(() -> {
            List<Object[]> rows = new ArrayList<>();
            statement.setInt(1, key);
            try (ResultSet result = statement.executeQuery()) {
                while (result.next()) {
                    rows.add(all ? Rows.read(result) : new Object[] {result.getInt(1), result.getString(2)});
                }
            }
            return rows;
        }, found -> {
            Rows.expect(found.size(), count);
            check.accept(found);
        });
    }

    private static Operation fetch(Connection connection, int count) throws SQLException {
        PreparedStatement statement = connection.prepareStatement("SELECT " + Rows.NAMES + " FROM bench_" + count);
        return operation(() -> {
            List<Object[]> rows = new ArrayList<>();
            try (ResultSet result = statement.executeQuery()) {
                while (result.next()) {
                    rows.add(Rows.read(result));
                }
            }
            return rows;
        }, found -> {
            Rows.expect(found.size(), count);
            for (int i = 0; i < count; i += 97) {
                Rows.check(found.get(i), i);
            }
            Rows.check(found.get(count - 1), count - 1);
        });
    }

    private static Operation stream(Connection connection, int count) throws SQLException {
        PreparedStatement statement = connection.prepareStatement("SELECT " + Rows.NAMES + " FROM bench_" + count);
        return operation(() -> {
            long total = 0;
            try (ResultSet result = statement.executeQuery()) {
                while (result.next()) {
                    total += (Integer) Rows.read(result)[0];
                }
            }
            return total;
        }, found -> Rows.expect(found, count * (count - 1L) / 2));
    }

    /** A batch, or one INSERT, into a table that is emptied behind each run. */
    private static Operation insert(Place place, int count, boolean autocommit) throws SQLException {
        Connection admin = place.connection();
        Connection connection = place.connect();
        connection.setAutoCommit(autocommit);
        String table = "bench_in_java" + ProcessHandle.current().pid() + "_" + TABLES.incrementAndGet();
        run(admin, "CREATE TABLE " + table + " (" + Rows.COLUMNS + ")");
        PreparedStatement statement = connection.prepareStatement("INSERT INTO " + table + " VALUES (?, ?, ?, ?, ?)");
        Object[][] rows = Rows.rows(count);
        return operation(() -> {
            int done = 0;
            if (count == 1) {
                Rows.bind(statement, rows[0]);
                done = statement.executeUpdate();
            } else {
                for (Object[] row : rows) {
                    Rows.bind(statement, row);
                    statement.addBatch();
                }
                for (int one : statement.executeBatch()) {
                    done += one;
                }
            }
            if (!autocommit) {
                connection.commit();
            }
            return done;
        }, found -> {
            Rows.expect(found, count);
            try (Statement query = admin.createStatement();
                    ResultSet result = query.executeQuery("SELECT COUNT(*) FROM " + table)) {
                Rows.expect(result.next() ? result.getInt(1) : null, count);
            }
            String last = "SELECT * FROM " + table + " WHERE id = " + (count - 1);
            try (Statement query = admin.createStatement(); ResultSet result = query.executeQuery(last)) {
                Rows.check(result.next() ? Rows.read(result) : new Object[0], count - 1);
            }
            run(admin, "DELETE FROM " + table);
        });
    }

    private static void run(Connection connection, String text) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate(text);
        }
    }
}
