/** Texts that many types of the group share word for word. */

export const objectMetadata =
  "Name, namespace, labels, annotations and everything else that every object carries about itself.";
export const listMetadata = "Facts about the list as a whole: the version it was read at, and how to read on.";
export const conditionStatus = "Whether the condition holds: True, False, or Unknown if nobody can tell.";
export const conditionReason = "One word in CamelCase, for programs, on why the status is what it is.";
export const conditionMessage = "Explanation of the status for people.";
export const conditionTransition = "When the condition's status last changed to what it is now.";
export const protocol = "Transport protocol: TCP, UDP or SCTP.";
export const fsType =
  "File system that the volume is mounted with, such as ext4 or xfs. It must be known to the node's operating system. ext4 if left out.";
export const readOnly = "Mounts the volume read-only in every container if true. Default false.";
