/**
 * The vendor's JDBC driver against the embedded server: `java Judge path/to/ifx`, or `java Judge PORT`
 * for a server that runs already.
 */
public final class Judge {
    private Judge() {}

    public static void main(String[] args) throws Exception {
        if (args.length != 1) {
            System.err.println("usage: Judge PATH_OF_IFX | PORT");
            System.exit(2);
        }
        Class.forName("com.informix.jdbc.IfxDriver");
        Checks checks = new Checks();
        try (Server server = args[0].matches("\\d+") ? Server.at(Integer.parseInt(args[0])) : Server.start(args[0])) {
            new Connecting(checks, server).run();
            new Challenges(checks, server).run();
            new Types(checks, server).run();
            new Statements(checks, server).run();
            new Transactions(checks, server).run();
            new Errors(checks, server).run();
            new Cursors(checks, server).run();
            new Metadata(checks, server).run();
            new Record(checks, server).run();
            new LargeObjects(checks, server).run();
            new Streams(checks, server).run();
            new Distributed(checks, server).run();
            new Callable(checks, server).run();
            new Applications(checks, server).run();
            new Corners(checks, server).run();
            new CodeSets(checks, server).run();
            new Results(checks, server).run();
            new Capacity(checks, server).run();
            new Pooling(checks, server).run();
        }
        System.exit(checks.close());
    }
}
