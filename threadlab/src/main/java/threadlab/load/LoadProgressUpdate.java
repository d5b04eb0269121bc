package threadlab.load;

/**
 * Where the generator stands.
 *
 * @param warmUp whether it still warms up the server
 * @param ended requests of this part of the run that have ended
 * @param expected about how many there will be in the end
 */
record LoadProgressUpdate(boolean warmUp, int ended, int expected) implements Message {}
