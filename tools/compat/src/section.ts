/** A part of a document that a program writes, between two marks. */
export interface Section {
  /** Heading of the chapter that is appended to a document without the marks. */
  readonly heading: string;
  readonly begin: string;
  readonly end: string;
}

/** The document with new text between the marks of the section. Text outside the marks stays. */
export function replaceSection(document: string, { heading, begin, end }: Section, text: string): string {
  const from = document.indexOf(begin);
  const to = document.indexOf(end);
  const marked = `${begin}\n${text}\n${end}`;
  if (from < 0 || to < from) return `${document.trimEnd()}\n\n## ${heading}\n\n${marked}\n`;
  return document.slice(0, from) + marked + document.slice(to + end.length);
}
