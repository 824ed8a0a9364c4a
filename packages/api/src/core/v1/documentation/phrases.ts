/** Texts that many types of the group share word for word. */

export const objectMetadata = "Standard metadata of the object: name, namespace, labels, annotations and so on.";
export const listMetadata = "Metadata of the list as a whole: the version it was read at, and how to continue.";
export const conditionStatus = "Whether the condition holds: True, False, or Unknown if it cannot be determined.";
export const conditionReason = "A machine-readable reason, in CamelCase, for the current status.";
export const conditionMessage = "A human-readable explanation of the status.";
export const conditionTransition = "When the condition's status last changed.";
export const protocol = "Transport protocol: TCP, UDP or SCTP.";
export const fsType =
  "File system that the volume is mounted with, such as ext4 or xfs. It must be known to the node's operating system. ext4 if left out.";
export const readOnly = "Mounts the volume read-only in every container if true. Default false.";
