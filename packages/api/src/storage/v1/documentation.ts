import type { TypeDocumentation } from "@orchernetes/apimachinery";

/** Texts of the types of storage.o8s.io/v1. */
export const documentation: TypeDocumentation = {
  StorageClass: {
    "": "A way to make volumes, which claims refer to by name. With the annotation storageclass.orchernetes.io/is-default-class set to true it is used for claims that name none. Only the labels, annotations, allowVolumeExpansion, mountOptions and allowedTopologies can be changed.",
    provisioner: "Name of the driver that makes the volumes. Can't be changed.",
    parameters:
      "Settings that the driver gets, which the server does not look into. At most 512 of them and 256 KiB. Can't be changed.",
    reclaimPolicy:
      "What happens to a volume when its claim is deleted: Delete (the default) removes it, Retain keeps it for an administrator. Can't be changed.",
    mountOptions:
      "Options with which the volumes are mounted, such as ro. Nobody checks them: a wrong one makes the mount fail.",
    allowVolumeExpansion: "Whether claims may request more space later. Default: false.",
    volumeBindingMode:
      "When volumes are made and bound: Immediate (the default) as soon as there is a claim, WaitForFirstConsumer when a pod that uses the claim is scheduled, so that the volume is near it. Can't be changed.",
    allowedTopologies: "Where volumes may be made. When empty, anywhere.",
  },
  CSIDriver: {
    "": "What the cluster needs to know about a CSI driver. Its name is the one that the driver answers by.",
    metadata: "Name of the driver, at most 63 characters, as in a DNS name, and what every object has.",
    spec: "What the driver can do and needs.",
  },
  CSIDriverSpec: {
    "": "What a CSI driver can do and needs.",
    attachRequired:
      "Whether volumes are attached to a node before they are mounted, by VolumeAttachments that an attacher acts upon. Can't be changed. Default: true.",
    podInfoOnMount:
      "Whether the driver gets information about the pod when it mounts a volume: name, namespace, UID, service account and whether the volume is ephemeral. Default: false.",
    volumeLifecycleModes:
      "Kinds of volume that the driver supports: Persistent, made for claims, and Ephemeral, written within a pod and living as long as it. Can't be changed. Default: Persistent.",
    storageCapacity:
      "Whether the scheduler waits with unbound claims until CSIStorageCapacity objects of the driver say that a node has room. Default: false.",
    fsGroupPolicy:
      "Whether files of a volume are given to the pod's fsGroup: ReadWriteOnceWithFSType (the default) when the volume has a file system type and is for one node at a time, File always, None never. Can't be changed.",
    tokenRequests:
      "Tokens of the pod's service account that the driver gets at mounting, one for each audience. Used together with requiresRepublish they stay fresh.",
    requiresRepublish:
      "Whether the driver is called again and again for mounted volumes, to bring their content up to date. Default: false.",
    seLinuxMount:
      "Whether the driver can mount a volume with an SELinux label instead of relabelling each file. Needs the feature gate SELinuxMountReadWriteOncePod. Default: false.",
  },
  TokenRequest: {
    "": "A service account token that a CSI driver requests.",
    audience: "Who the token is for; empty means orch-apiserver. Each audience may occur once.",
    expirationSeconds:
      "Seconds that the token is good for, at least 600. Default: what the server decides, usually an hour.",
  },
  CSINode: {
    "": "The CSI drivers on a node. It has the name of the node, and orchlet keeps it up to date while drivers come and go.",
    metadata: "The node's name, and what every object has.",
    spec: "The drivers.",
  },
  CSINodeSpec: {
    "": "The CSI drivers on a node.",
    drivers: "One item for each driver, by name. Empty when there are none.",
  },
  CSINodeDriver: {
    "": "A CSI driver on a node.",
    name: "Name that the driver answers by.",
    nodeID:
      "Name of the node in the driver's own storage system; calls to the driver use it instead of the node's name.",
    topologyKeys:
      "Labels of the node that tell where volumes of the driver can be reached, such as a zone. The driver reports them when it registers.",
    allocatable: "How many volumes of the driver the node can take. Default: any number.",
  },
  VolumeNodeResources: {
    "": "How many volumes a node can take.",
    count:
      "The largest number of the driver's volumes that can be in use on the node at the same time. Default: any number.",
  },
  CSIStorageCapacity: {
    "": "How much space a driver has left for a class of volumes in some part of the cluster. Written by the driver for the scheduler.",
    metadata: "Name (which means nothing), namespace, usually that of the driver, and what every object has.",
    nodeTopology:
      "Nodes that can reach this space, by their labels. None: no node; an empty selector: all. Can't be changed.",
    storageClassName: "Name of the StorageClass that the figures are about. Can't be changed.",
    capacity: "Free space, as the driver reports it. When absent, it is not known.",
    maximumVolumeSize: "Size of the biggest volume that can be made now. When absent, capacity is the best guess.",
  },
  VolumeAttachment: {
    "": "The wish to attach a volume to a node, or to detach it when the object is deleted. A CSI attacher acts upon it.",
    spec: "Which volume and which node. Can't be changed.",
    status: "What the attacher reports.",
  },
  VolumeAttachmentSpec: {
    "": "A wish to attach a volume.",
    attacher: "Name of the CSI driver that is to act.",
    source: "The volume.",
    nodeName: "The node.",
  },
  VolumeAttachmentSource: {
    "": "The volume to attach: exactly one of its members.",
    persistentVolumeName: "Name of a PersistentVolume.",
    inlineVolumeSpec:
      "A volume written within a pod, in the form of a PersistentVolume's spec, for drivers that took the place of built-in ones.",
  },
  VolumeAttachmentStatus: {
    "": "Progress of attaching. Written by the attacher.",
    attached: "Whether the volume is attached.",
    attachmentMetadata:
      "What the driver reported when it attached the volume; it is passed on when the volume is mounted.",
    attachError: "Why the last try to attach failed; absent when it did not.",
    detachError: "Why the last try to detach failed; absent when it did not.",
  },
  VolumeError: {
    "": "A failure of a volume operation.",
    time: "When it happened.",
    message: "What happened, for people. Logs and events show it, so it must not hold secrets.",
  },
};
