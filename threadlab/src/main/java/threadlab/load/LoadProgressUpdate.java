package threadlab.load;

/**
 * How far the generator has got.
 *
 * @param warmUp whether it is still warming up the server
 * @param ended requests of this part of the run that have ended
 * @param expected about how many there will be in the end
 */
record LoadProgressUpdate(boolean warmUp, int ended, int expected) implements Message {}
