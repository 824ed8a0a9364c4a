import type { TypeDocumentation } from "@orchernetes/apimachinery";

/** Texts of the types of storage.o8s.io/v1. */
export const documentation: TypeDocumentation = {
  StorageClass: {
    "": "A way to provision volumes, which claims refer to by name. With the annotation storageclass.orchernetes.io/is-default-class set to true it is used for claims that name none. Only the labels, annotations, allowVolumeExpansion, mountOptions and allowedTopologies can be changed.",
    provisioner: "Name of the driver that provisions the volumes. Can't be changed.",
    parameters:
      "Settings that are passed to the driver and not interpreted by the server. At most 512 of them and 256 KiB. Can't be changed.",
    reclaimPolicy:
      "What happens to a volume when its claim is deleted: Delete (the default) removes it, Retain keeps it for an administrator. Can't be changed.",
    mountOptions:
      "Options with which the volumes are mounted, such as ro. They are not validated: if one is wrong, the mount fails.",
    allowVolumeExpansion: "Whether claims may request more space later. Default: false.",
    volumeBindingMode:
      "When volumes are provisioned and bound: Immediate (the default) as soon as there is a claim, WaitForFirstConsumer when a pod that uses the claim is scheduled, so that the volume is near it. Can't be changed.",
    allowedTopologies: "Where volumes may be provisioned. If empty, anywhere.",
  },
  CSIDriver: {
    "": "What the cluster needs to know about a CSI driver. Its name is the one that the driver reports.",
    metadata: "Name of the driver, at most 63 characters, as in a DNS name, and standard object metadata.",
    spec: "What the driver can do and needs.",
  },
  CSIDriverSpec: {
    "": "What a CSI driver can do and needs.",
    attachRequired:
      "Whether volumes are attached to a node before they are mounted, by VolumeAttachments that an attacher acts upon. Can't be changed. Default: true.",
    podInfoOnMount:
      "Whether the driver gets information about the pod when it mounts a volume: name, namespace, UID, service account and whether the volume is ephemeral. Default: false.",
    volumeLifecycleModes:
      "Kinds of volume that the driver supports: Persistent, provisioned for claims, and Ephemeral, defined inline in a pod and existing as long as the pod does. Can't be changed. Default: Persistent.",
    storageCapacity:
      "Whether the scheduler places pods with unbound claims only where CSIStorageCapacity objects of the driver report enough space. Default: false.",
    fsGroupPolicy:
      "Whether the files of a volume get the pod's fsGroup as owner: ReadWriteOnceWithFSType (the default) when the volume has a file system type and is for one node at a time, File always, None never. Can't be changed.",
    tokenRequests:
      "Tokens of the pod's service account that the driver gets when it mounts a volume, one for each audience. Together with requiresRepublish they are renewed.",
    requiresRepublish:
      "Whether the driver is called periodically for mounted volumes, to update their content. Default: false.",
    seLinuxMount:
      "Whether the driver can mount a volume with an SELinux label instead of relabelling each file. Needs the feature gate SELinuxMountReadWriteOncePod. Default: false.",
  },
  TokenRequest: {
    "": "A service account token that a CSI driver requests.",
    audience: "Audience of the token; empty means orch-apiserver. Each audience may occur once.",
    expirationSeconds: "Validity of the token in seconds, at least 600. Default: the server decides, usually an hour.",
  },
  CSINode: {
    "": "The CSI drivers on a node. It has the same name as the node, and the orchlet updates it when drivers are added or removed.",
    metadata: "Standard object metadata. The name is that of the node.",
    spec: "The drivers.",
  },
  CSINodeSpec: {
    "": "The CSI drivers on a node.",
    drivers: "One item for each driver, by name. Empty when there are none.",
  },
  CSINodeDriver: {
    "": "A CSI driver on a node.",
    name: "Name that the driver reports.",
    nodeID:
      "Name of the node in the driver's own storage system; calls to the driver use it instead of the node's name.",
    topologyKeys:
      "Keys of node labels that describe where volumes of the driver can be reached, such as a zone. The driver reports them when it registers.",
    allocatable: "How many volumes of the driver the node can use. Default: any number.",
  },
  VolumeNodeResources: {
    "": "How many volumes a node can use.",
    count:
      "The largest number of the driver's volumes that can be in use on the node at the same time. Default: any number.",
  },
  CSIStorageCapacity: {
    "": "How much space a driver has left for a class of volumes in some part of the cluster. Written by the driver for the scheduler.",
    metadata: "Standard object metadata. The name has no meaning; the namespace is usually that of the driver.",
    nodeTopology:
      "Nodes that can use this space, by their labels. If absent, no node; if empty, all. Can't be changed.",
    storageClassName: "Name of the StorageClass that the figures are about. Can't be changed.",
    capacity: "Free space, as the driver reports it. If absent, it is unknown.",
    maximumVolumeSize:
      "Size of the largest volume that can be provisioned now. If absent, capacity is used as an estimate.",
  },
  VolumeAttachment: {
    "": "A request to attach a volume to a node, or to detach it when the object is deleted. A CSI attacher acts on it.",
    spec: "Which volume and which node. Can't be changed.",
    status: "What the attacher reports.",
  },
  VolumeAttachmentSpec: {
    "": "A request to attach a volume.",
    attacher: "Name of the CSI driver that handles the request.",
    source: "The volume.",
    nodeName: "The node.",
  },
  VolumeAttachmentSource: {
    "": "The volume to attach: exactly one of its members.",
    persistentVolumeName: "Name of a PersistentVolume.",
    inlineVolumeSpec:
      "A volume defined inline in a pod, in the form of a PersistentVolume's spec, for drivers that replaced built-in ones.",
  },
  VolumeAttachmentStatus: {
    "": "Progress of attaching. Written by the attacher.",
    attached: "Whether the volume is attached.",
    attachmentMetadata:
      "What the driver reported when it attached the volume; it is passed on when the volume is mounted.",
    attachError: "Error of the last attempt to attach; absent if it succeeded.",
    detachError: "Error of the last attempt to detach; absent if it succeeded.",
  },
  VolumeError: {
    "": "A failure of a volume operation.",
    time: "When it happened.",
    message: "A human-readable description of what happened. Logs and events show it, so it must not hold secrets.",
  },
};
