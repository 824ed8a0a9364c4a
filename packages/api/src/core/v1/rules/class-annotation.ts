/** The annotation that named the storage class before the field existed. It takes precedence over the field. */
export const classAnnotation = "volume.beta.orchernetes.io/storage-class";
