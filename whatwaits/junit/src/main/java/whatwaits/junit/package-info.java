/** A test's look at its own JVM: fails a test whose threads wait for a limit. Of {@code whatwaits} it uses looks and verdicts. */
package whatwaits.junit;
