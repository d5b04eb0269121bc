/** Says whether a stated prediction held on this machine. */
package threadlab.claim;
