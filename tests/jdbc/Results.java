import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Random;

/** Positions of scrollable results of every size against a model, fetch sizes, row limits, several results of one statement. */
final class Results {
    private final Checks checks;
    private final Server server;

    Results(Checks checks, Server server) {
        this.checks = checks;
        this.server = server;
    }

    void run() throws Exception {
        try (Connection c = server.connect(); Statement s = c.createStatement()) {
            s.executeUpdate("create temp table walked (k integer) with no log");
            try (PreparedStatement p = c.prepareStatement("insert into walked values (?)")) {
                for (int k = 1; k <= 60; k++) {
                    p.setInt(1, k);
                    p.addBatch();
                }
                p.executeBatch();
            }
            for (int size : List.of(0, 1, 2, 7, 60)) {
                for (int fetchSize : List.of(0, 1, 5, 100)) {
                    checks.section("walk over " + size + " rows, fetch size " + fetchSize, () -> walk(c, size, fetchSize));
                    checks.section("ends of " + size + " rows", () -> ends(c, size, fetchSize));
                    checks.section("forward over " + size + " rows", () -> forward(c, size, fetchSize));
                }
            }
            checks.section("limits of rows", () -> limits(c));
            checks.section("more results", () -> more(c));
        }
    }

    private static Statement scrolling(Connection c, int fetchSize) throws SQLException {
        Statement s = c.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_READ_ONLY);
        s.setFetchSize(fetchSize);
        return s;
    }

    private static String query(int size) {
        return "select k from walked where k <= " + size + " order by k";
    }

    /** Random steps; the model is the position, from 0 (before the first) to size + 1 (behind the last). */
    private void walk(Connection c, int size, int fetchSize) throws Exception {
        Random random = new Random(size * 31L + fetchSize);
        try (Statement s = scrolling(c, fetchSize); ResultSet r = s.executeQuery(query(size))) {
            // A row first: the driver takes a result for empty whose first step went behind its end.
            int at = 1;
            checks.equal("next", size > 0, r.next());
            for (int step = 0; step < 60; step++) {
                int row = random.nextInt(size + 2);
                String what;
                boolean found;
                switch (random.nextInt(6)) {
                    case 0 -> {
                        what = "next";
                        at = Math.min(at + 1, size + 1);
                        found = r.next();
                    }
                    case 1 -> {
                        what = "previous";
                        at = Math.max(at - 1, 0);
                        found = r.previous();
                    }
                    case 2 -> {
                        what = "first";
                        at = size == 0 ? at : 1;
                        found = r.first();
                    }
                    case 3 -> {
                        what = "last";
                        at = size == 0 ? at : size;
                        found = r.last();
                    }
                    case 4 -> {
                        row = Math.max(row, 1);
                        what = "absolute " + row;
                        at = Math.min(row, size + 1);
                        found = r.absolute(row);
                    }
                    default -> {
                        if (at < 1 || at > size) {
                            continue;
                        }
                        int distance = row - at;
                        what = "relative " + distance;
                        at = row;
                        found = r.relative(distance);
                    }
                }
                boolean inside = at >= 1 && at <= size;
                String where = "step " + step + " " + what;
                checks.equal(where, inside, found);
                if (found && inside) {
                    checks.equal(where + " value", at, r.getInt(1));
                    checks.equal(where + " row", at, r.getRow());
                } else {
                    // Where an empty result stands behind its ends is the driver's own business.
                    at = at < 1 ? 0 : size + 1;
                }
            }
        }
    }

    private void ends(Connection c, int size, int fetchSize) throws Exception {
        try (Statement s = scrolling(c, fetchSize); ResultSet r = s.executeQuery(query(size))) {
            boolean some = size > 0;
            checks.equal("last", some, r.last());
            if (some) {
                checks.equal("the last row's number", size, r.getRow());
                checks.that("isLast", r.isLast());
                checks.equal("absolute(-1)", true, r.absolute(-1));
                checks.equal("its value", size, r.getInt(1));
                checks.equal("absolute(-size)", true, r.absolute(-size));
                checks.equal("its value", 1, r.getInt(1));
                checks.that("isFirst", r.isFirst());
                r.afterLast();
                checks.that("isAfterLast", r.isAfterLast());
                checks.equal("previous from the end", true, r.previous());
                checks.equal("its value", size, r.getInt(1));
            }
            r.beforeFirst();
            int seen = 0;
            while (r.next()) {
                checks.equal("again from the start", ++seen, r.getInt(1));
            }
            checks.equal("all of them", size, seen);
            checks.equal("first", some, r.first());
            checks.equal("absolute behind the end", false, r.absolute(size + 5));
            checks.equal("first again", some, r.first());
        }
    }

    private void forward(Connection c, int size, int fetchSize) throws Exception {
        try (Statement s = c.createStatement()) {
            s.setFetchSize(fetchSize);
            try (ResultSet r = s.executeQuery(query(size))) {
                for (int k = 1; k <= size; k++) {
                    checks.that("row " + k, r.next());
                    checks.equal("value", k, r.getInt(1));
                }
                checks.that("the end", !r.next());
            }
        }
    }

    private void limits(Connection c) throws Exception {
        for (int type : List.of(ResultSet.TYPE_FORWARD_ONLY, ResultSet.TYPE_SCROLL_INSENSITIVE)) {
            for (int limit : List.of(0, 1, 59, 60, 61)) {
                try (Statement s = c.createStatement(type, ResultSet.CONCUR_READ_ONLY)) {
                    s.setMaxRows(limit);
                    int seen = 0;
                    try (ResultSet r = s.executeQuery(query(60))) {
                        while (r.next()) {
                            seen++;
                        }
                    }
                    checks.equal("type " + type + " at most " + limit, limit == 0 ? 60 : Math.min(limit, 60), seen);
                }
            }
        }
    }

    private void more(Connection c) throws Exception {
        try (Statement s = c.createStatement()) {
            checks.that("a result", s.execute(query(2)));
            ResultSet first = s.getResultSet();
            checks.that("its row", first.next());
            checks.equal("no update count beside it", -1, s.getUpdateCount());
            checks.that("no other result", !s.getMoreResults());
            checks.equal("the end", -1, s.getUpdateCount());
            checks.that("no result", !s.execute("update walked set k = k where k <= 3"));
            checks.equal("its count", 3, s.getUpdateCount());
            checks.that("and nothing behind it", !s.getMoreResults());
            checks.equal("the end", -1, s.getUpdateCount());
        }
    }
}
