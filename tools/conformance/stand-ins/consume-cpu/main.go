// Uses a share of a processor for some time. The suite's program of this name needs a library that is not in Debian's source.
package main

import (
	"flag"
	"syscall"
	"time"
)

const (
	turn = time.Millisecond
	rest = 10 * time.Millisecond
)

// used returns the processor time of this process so far.
func used() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func main() {
	millicores := flag.Int("millicores", 0, "thousandths of a processor to use")
	seconds := flag.Int("duration-sec", 0, "seconds until the end")
	flag.Parse()
	start, before := time.Now(), used()
	for time.Since(start) < time.Duration(*seconds)*time.Second {
		if (used()-before)*1000 >= time.Since(start)*time.Duration(*millicores) {
			time.Sleep(rest)
			continue
		}
		for spin := time.Now(); time.Since(spin) < turn; {
		}
	}
}
