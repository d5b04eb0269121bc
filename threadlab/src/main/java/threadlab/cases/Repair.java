package threadlab.cases;

import java.util.Map;

/**
 * A change to a service: an edited method, or a setting.
 *
 * @param members Java source that replaces a method; empty for none
 * @param settings properties of Spring Boot
 */
public record Repair(String members, Map<String, String> settings) {

    /** No change. */
    public static final Repair NONE = new Repair("", Map.of());

    /**
     * {@return the repair by an edited method, which replaces the method of the same name with its annotations}
     *
     * @param text the method as in the service's source; fields may precede or follow it
     */
    public static Repair method(String text) {
        return new Repair(text, Map.of());
    }

    /**
     * {@return the repair by a setting}
     *
     * @param property a property of Spring Boot, such as {@code spring.datasource.hikari.maximum-pool-size}
     * @param value its value
     */
    public static Repair setting(String property, Object value) {
        return new Repair("", Map.of(property, String.valueOf(value)));
    }
}
