import { createHash } from "node:crypto"

/** One line of a specification in Markdown. */
export interface SpecificationLine {
  /** From 1. */
  readonly line: number
  readonly text: string
  readonly kind: "blank" | "heading" | "header" | "separator" | "row" | "rule" | "bullet" | "prose"
  /** The first 16 hex digits of the SHA-256 of the line without the space around it. */
  readonly sha: string
}

export const shaOf = (text: string): string =>
  createHash("sha256").update(text.trim()).digest("hex").slice(0, 16)

/** The lines of a specification: tables row by row, numbered rules, bullets, and the rest. */
export const linesOf = (markdown: string): ReadonlyArray<SpecificationLine> => {
  const texts = markdown.split(/\r?\n/)
  return texts.map((text, index) => ({
    line: index + 1,
    text,
    kind: kindOf(text, texts[index + 1] ?? ""),
    sha: shaOf(text)
  }))
}

/** Whether a requirement must cover the line. */
export const isSaying = ({ kind }: SpecificationLine): boolean =>
  kind === "row" || kind === "rule" || kind === "bullet" || kind === "prose"

const separator = /^\|[\s:|-]+\|$/

const kindOf = (text: string, next: string): SpecificationLine["kind"] => {
  const line = text.trim()
  if (line === "") return "blank"
  if (/^#{1,6} /.test(line)) return "heading"
  if (separator.test(line)) return "separator"
  if (line.startsWith("|")) return separator.test(next.trim()) ? "header" : "row"
  if (/^\d+\. /.test(line)) return "rule"
  return /^[-*] /.test(line) ? "bullet" : "prose"
}
