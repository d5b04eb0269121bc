package whatwaits.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static whatwaits.rules.Owner.JDK;
import static whatwaits.rules.Owner.LIBRARY;
import static whatwaits.rules.Owner.OWN;

import java.util.ArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whose code a class is. */
class OwnerTest {

    @ParameterizedTest
    @CsvSource({
        "shop.Till, OWN",
        "java.lang.Thread, JDK",
        "javax.net.ssl.SSLSocket, JDK",
        "com.sun.net.httpserver.HttpServer, JDK",
        "javaland.Shop, OWN",
        "org.springframework.web.Filter, LIBRARY",
        "packed.org.springframework.web.Filter, LIBRARY",
        "org.example.Shop, OWN",
        "oracle.jdbc.Driver, LIBRARY",
        "shop.Till$$SpringCGLIB$$0, LIBRARY",
        "jdk.proxy2.$Proxy31, LIBRARY",
        "shop.$Proxy7, LIBRARY"
    })
    void a_name_tells(String type, Owner owner) {
        assertEquals(owner, Owner.byName(type));
    }

    @Test
    void the_place_of_a_class_decides_before_its_name_and_after_what_only_a_name_tells() {
        assertEquals(OWN, Owner.of("org.springframework.ours.Shop", type -> OWN));
        assertEquals(LIBRARY, Owner.of("shop.Till", type -> LIBRARY));
        assertEquals(JDK, Owner.of("java.lang.Thread", type -> OWN));
        assertEquals(LIBRARY, Owner.of("shop.Till$$FastClass$$1", type -> OWN));
        assertEquals(LIBRARY, Owner.of("org.springframework.web.Filter", type -> null));
    }

    @Test
    void a_lambda_lies_where_its_class_lies() {
        var asked = new ArrayList<String>();
        assertEquals(LIBRARY, Owner.of("shop.Till$$Lambda/0x01", type -> asked.add(type) ? LIBRARY : OWN));
        assertEquals(OWN, Owner.of("$$Lambda", type -> asked.add(type) ? OWN : LIBRARY));
        assertEquals("[shop.Till, ]", asked.toString());
    }

    @Test
    void a_library_packed_below_the_program_is_no_part_of_it() {
        assertEquals(LIBRARY, Owner.ofPacked("org.apache.http.Client"));
        assertEquals(LIBRARY, Owner.ofPacked("io.netty.Channel"));
        assertEquals(OWN, Owner.ofPacked("com.example.Shop"));
        assertEquals(OWN, Owner.ofPacked("oracle.Shop"));
        assertEquals(OWN, Owner.ofPacked("orgs.apache.Shop"));
    }
}
