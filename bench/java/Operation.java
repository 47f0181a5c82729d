/** Something that is done again and again, and timed. */
interface Operation {
    /** This alone is timed. */
    Object run() throws Exception;

    /** Throws for a wrong result, and cleans up behind the run. */
    void check(Object result) throws Exception;
}
