/** The command: its arguments, its screen, its page. */
package whatwaits.command;
