import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The worker of the JDBC driver: takes a line of JSON, answers with one (bench/harness/workers.py). */
final class Worker {
    /** Requests are flat but for "place" and "arguments", and no name occurs twice: members are enough. */
    private static final Pattern MEMBER = Pattern.compile("\"(\\w+)\": (?:\"((?:[^\"\\\\]|\\\\.)*)\"|(-?\\d+))");

    /** A program that runs once is compiled by and by: each operation runs so long, and so often at most, before it counts. */
    private static final long WARM_UP_NANOS = 700_000_000L;

    private static final int WARM_UP_RUNS = 3000;

    private final Map<String, Operation> operations = new HashMap<>();
    private final Map<String, Place> places = new HashMap<>();

    public static void main(String[] arguments) throws IOException {
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        System.setOut(System.err);
        Worker worker = new Worker();
        String version = Place.driverVersion();
        out.println("{\"driver\": \"IBM JDBC\", \"version\": " + quoted(version) + ", \"java\": "
                + quoted(System.getProperty("java.version")) + "}");
        out.flush();
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            out.println(worker.answer(line));
            out.flush();
        }
    }

    private String answer(String line) {
        try {
            Map<String, String> request = members(line);
            int repeat = Integer.parseInt(request.remove("repeat"));
            String key = request.toString();
            Operation operation = operations.get(key);
            if (operation == null) {
                operation = Workloads.make(request, place(request));
                if (operation == null) {
                    return "{\"unsupported\": \"no such workload\"}";
                }
                operations.put(key, operation);
                warmUp(operation);
            }
            System.gc();
            StringBuilder figures = new StringBuilder();
            for (int run = 0; run < repeat; run++) {
                figures.append(run == 0 ? "" : ", ").append(String.format(Locale.ROOT, "%.9f", once(operation) / 1e9));
            }
            return "{\"figures\": [" + figures + "]}";
        } catch (Exception failure) {
            StringWriter text = new StringWriter();
            failure.printStackTrace(new PrintWriter(text, true));
            return "{\"error\": " + quoted(text.toString()) + "}";
        }
    }

    private static void warmUp(Operation operation) throws Exception {
        long begin = System.nanoTime();
        for (int run = 0; run < WARM_UP_RUNS && System.nanoTime() - begin < WARM_UP_NANOS; run++) {
            once(operation);
        }
    }

    /** One timed run, in nanoseconds. */
    private static long once(Operation operation) throws Exception {
        long begin = System.nanoTime();
        Object result = operation.run();
        long nanos = System.nanoTime() - begin;
        operation.check(result);
        return nanos;
    }

    private Place place(Map<String, String> request) {
        String host = request.get("host");
        String port = request.get("port");
        return places.computeIfAbsent(host + ":" + port, name -> new Place(host, Integer.parseInt(port),
                request.get("user"), request.get("password"), request.get("database"), request.get("server")));
    }

    private static Map<String, String> members(String line) {
        Map<String, String> found = new HashMap<>();
        Matcher matcher = MEMBER.matcher(line);
        while (matcher.find()) {
            String text = matcher.group(2);
            found.put(matcher.group(1), text == null ? matcher.group(3) : text.replaceAll("\\\\(.)", "$1"));
        }
        return found;
    }

    private static String quoted(String text) {
        String escaped = text.replace("\\", "\\\\").replace("\"", "\\\"");
        return "\"" + escaped.replace("\n", "\\n").replace("\t", " ").replace("\r", "") + "\"";
    }
}
