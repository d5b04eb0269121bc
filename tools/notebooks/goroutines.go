// n goroutines that each sleep one second: what notebook 09 does with virtual threads, for the recorded run.
//
// Arguments: n, the number of trials. CSV: contender (with the version of Go), kind (other), n, trial, seconds.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
)

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	trials, _ := strconv.Atoi(os.Args[2])
	version := strings.Replace(runtime.Version(), "go", "Go ", 1)
	fmt.Println("contender,kind,n,trial,seconds")
	for trial := 1; trial <= trials; trial++ {
		start := time.Now()
		var all sync.WaitGroup
		for i := 0; i < n; i++ {
			all.Add(1)
			go func() {
				defer all.Done()
				time.Sleep(time.Second)
			}()
		}
		all.Wait()
		fmt.Printf("%s,other,%d,%d,%.4f\n", version, n, trial, time.Since(start).Seconds())
	}
}
