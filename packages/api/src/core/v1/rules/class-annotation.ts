/** The annotation that named the class before the field was there. */
export const classAnnotation = "volume.beta.orchernetes.io/storage-class";
