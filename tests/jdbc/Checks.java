import java.sql.SQLException;
import java.util.Objects;

/** Counts checks, prints each failed one, and ends with the closing line. */
final class Checks {
    /** Something that may throw. */
    interface Action {
        void run() throws Exception;
    }

    /** Something that needs one thing. */
    interface Action1<T> {
        void run(T with) throws Exception;
    }

    private int passed;
    private int failed;
    private String section = "";

    /** Runs a group of checks; an exception that nobody expected is one failed check. */
    void section(String name, Action action) {
        section = name;
        try {
            action.run();
        } catch (Exception | AssertionError | LinkageError e) {
            fail("stopped by " + describe(e));
        }
    }

    void equal(String what, Object expected, Object actual) {
        if (Objects.equals(expected, actual)) {
            passed++;
        } else {
            fail(what + ": expected " + show(expected) + " but got " + show(actual));
        }
    }

    void that(String what, boolean holds) {
        if (holds) {
            passed++;
        } else {
            fail(what);
        }
    }

    /** The action must fail with this SQLCODE. */
    void fails(String what, int sqlcode, Action action) {
        try {
            action.run();
            fail(what + ": expected SQLCODE " + sqlcode + " but it succeeded");
        } catch (SQLException e) {
            equal(what + " (" + e.getMessage() + ")", sqlcode, e.getErrorCode());
        } catch (Exception e) {
            fail(what + ": expected SQLCODE " + sqlcode + " but got " + describe(e));
        }
    }

    /** The action must fail with a message that holds this word. */
    void failsWith(String what, String word, Action action) {
        try {
            action.run();
            fail(what + ": expected a failure that says '" + word + "'");
        } catch (Exception e) {
            that(what + ": '" + word + "' is not in " + describe(e), String.valueOf(e.getMessage()).contains(word));
        }
    }

    void fail(String what) {
        failed++;
        System.out.println("FAILED " + section + ": " + what);
    }

    /** Prints the closing line; the number of failures decides the exit status. */
    int close() {
        System.out.println(passed + " passed, " + failed + " failed");
        return failed == 0 && passed > 0 ? 0 : 1;
    }

    private static String describe(Throwable e) {
        StringBuilder text = new StringBuilder(e.getClass().getName());
        if (e instanceof SQLException) {
            text.append(" SQLCODE ").append(((SQLException) e).getErrorCode());
        }
        text.append(": ").append(e.getMessage());
        for (StackTraceElement at : e.getStackTrace()) {
            // Only our own frames help.
            if (!at.getClassName().contains(".")) {
                text.append(" at ").append(at);
                break;
            }
        }
        return text.toString();
    }

    private static String show(Object value) {
        if (value == null) {
            return "null";
        }
        return "'" + value + "' (" + value.getClass().getSimpleName() + ")";
    }
}
