/** A part of a document that a program writes, between two marks. */
export interface Section {
  /** Of the chapter that is added where the marks are missing. */
  readonly heading: string;
  readonly begin: string;
  readonly end: string;
}

/** The document with the text between the section's marks; what people wrote around them stays. */
export function replaceSection(document: string, { heading, begin, end }: Section, text: string): string {
  const from = document.indexOf(begin);
  const to = document.indexOf(end);
  const marked = `${begin}\n${text}\n${end}`;
  if (from < 0 || to < from) return `${document.trimEnd()}\n\n## ${heading}\n\n${marked}\n`;
  return document.slice(0, from) + marked + document.slice(to + end.length);
}
