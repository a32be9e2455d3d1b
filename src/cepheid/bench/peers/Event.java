/** One event, as all engines on Java get it. */
public class Event {
    public long ts;  // milliseconds
    public String kind;
    public String symbol;
    public double price;

    public long getTs() {
        return ts;
    }

    public String getKind() {
        return kind;
    }

    public String getSymbol() {
        return symbol;
    }

    public double getPrice() {
        return price;
    }
}
