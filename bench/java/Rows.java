import java.math.BigDecimal;
import java.sql.Date;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.LocalDate;
import java.util.Arrays;

/** The rows of the tables bench_N; bench/workloads/data.py has the same ones. */
final class Rows {
    static final String COLUMNS = "id INTEGER, name CHAR(20), ratio FLOAT, amount DECIMAL(16,2), since DATE";
    static final String NAMES = "id, name, ratio, amount, since";

    private static final LocalDate FIRST_DAY = LocalDate.of(2000, 1, 1);

    private Rows() {}

    /** Row number i, from 0. */
    static Object[] row(int i) {
        return new Object[] {
            i, "name " + i, i * 0.5 + 0.25, BigDecimal.valueOf(i * 7919L + 1, 2),
            Date.valueOf(FIRST_DAY.plusDays(i % 10_000)),
        };
    }

    static Object[][] rows(int count) {
        Object[][] rows = new Object[count][];
        Arrays.setAll(rows, Rows::row);
        return rows;
    }

    /** The current row of a result. */
    static Object[] read(ResultSet result) throws SQLException {
        return new Object[] {
            result.getInt(1), result.getString(2), result.getDouble(3), result.getBigDecimal(4), result.getDate(5),
        };
    }

    static void bind(PreparedStatement statement, Object[] row) throws SQLException {
        statement.setInt(1, (Integer) row[0]);
        statement.setString(2, (String) row[1]);
        statement.setDouble(3, (Double) row[2]);
        statement.setBigDecimal(4, (BigDecimal) row[3]);
        statement.setDate(5, (Date) row[4]);
    }

    /** Throws unless it is row number i. CHAR comes with its blanks. */
    static void check(Object[] found, int i) {
        Object[] wanted = row(i);
        Object[] trimmed = found.clone();
        trimmed[1] = ((String) found[1]).stripTrailing();
        // java.sql.Date with and without a time of the day are different.
        trimmed[4] = Date.valueOf(found[4].toString());
        if (!Arrays.equals(trimmed, wanted)) {
            throw new IllegalStateException("wrong row: " + Arrays.toString(found) + " instead of " + Arrays.toString(wanted));
        }
    }

    static void expect(Object found, Object wanted) {
        if (!wanted.equals(found)) {
            throw new IllegalStateException("wrong answer: " + found + " instead of " + wanted);
        }
    }
}
