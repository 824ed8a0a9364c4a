/**
 * A program for perl that listens to a threshold of memory of a group of cgroup v1. Arguments: the folder of the group, and the number of the
 * system call eventfd2. Each line of its input is a threshold in bytes, which replaces the one before; it answers with `armed`, and writes
 * `crossed` when the use of the group crosses it. It ends with its input, or with an error message. Source: "Memory thresholds" in the
 * kernel's documentation of memory.
 */
export const listenerProgram = String.raw`
use strict;
use warnings;
my ($folder, $eventfd2) = @ARGV;
my $closeOnExec = 02000000;
my ($events, $text) = (undef, '');
$| = 1;
open(my $usage, '<', "$folder/memory.usage_in_bytes") or die "memory.usage_in_bytes: $!\n";
sub arm {
  my ($threshold) = @_;
  close($events) if $events;
  my $number = syscall($eventfd2 + 0, 0, $closeOnExec);
  die "eventfd2: $!\n" if $number < 0;
  open($events, '<&=', $number) or die "eventfd2: $!\n";
  open(my $control, '>', "$folder/cgroup.event_control") or die "cgroup.event_control: $!\n";
  my $line = $number . ' ' . fileno($usage) . ' ' . $threshold;
  defined(syswrite($control, $line)) or die "cgroup.event_control: $!\n";
  close($control);
  print "armed\n";
}
while (1) {
  my $ready = '';
  vec($ready, fileno(STDIN), 1) = 1;
  vec($ready, fileno($events), 1) = 1 if $events;
  next if select($ready, undef, undef, undef) < 0;
  if ($events and vec($ready, fileno($events), 1)) {
    sysread($events, my $count, 8);
    print "crossed\n";
  }
  if (vec($ready, fileno(STDIN), 1)) {
    exit 0 unless sysread(STDIN, $text, 4096, length($text));
    while ($text =~ s/^(\d+)\n//) { arm($1); }
    die "input is not a number\n" if length($text) > 20;
  }
}
`;
