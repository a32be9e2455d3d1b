import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;

/** Holds the events in memory, and runs what it is asked for: a line in is a pattern, a line out the count. */
final class Peer {
    static final String ANSWER = "count=";
    static Event[] events;

    /** Runs one pattern over all events, and tells how many matches there are. */
    interface Engine {
        long count(String pattern) throws Exception;
    }

    static void serve(String[] arguments, Engine engine) throws Exception {
        events = read(Path.of(arguments[0]));
        PrintStream answers = System.out;
        System.setOut(System.err);  // what an engine prints is no answer
        answers.println(ANSWER + events.length);
        BufferedReader asked = new BufferedReader(new InputStreamReader(System.in));
        for (String pattern = asked.readLine(); pattern != null; pattern = asked.readLine()) {
            answers.println(ANSWER + engine.count(pattern));
        }
        System.exit(0);  // some engines leave threads behind
    }

    /** The columns one after the other: times, prices, symbols, kinds (A is 0). */
    private static Event[] read(Path path) throws IOException {
        ByteBuffer columns = ByteBuffer.wrap(Files.readAllBytes(path)).order(ByteOrder.LITTLE_ENDIAN);
        Event[] read = new Event[(int) columns.getLong()];
        for (int i = 0; i < read.length; i++) {
            read[i] = new Event();
            read[i].ts = columns.getLong();
        }
        for (Event event : read) {
            event.price = columns.getDouble();
        }
        for (Event event : read) {
            event.symbol = ("S" + columns.getInt()).intern();
        }
        for (Event event : read) {
            event.kind = String.valueOf((char) ('A' + columns.getInt())).intern();
        }
        return read;
    }

    private Peer() {}
}
