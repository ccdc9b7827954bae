import { createHash } from "node:crypto"

const hashOf = (text: string): string =>
  `'sha256-${createHash("sha256").update(text).digest("base64")}'`

interface Parts {
  /** The texts of the page's own scripts and styles: nothing else runs or shows. */
  readonly scripts: ReadonlyArray<string>
  readonly styles: ReadonlyArray<string>
  /** What the scripts may ask besides this very service; without scripts they ask nothing. */
  readonly connect?: ReadonlyArray<string>
}

const sourcesOf = (texts: ReadonlyArray<string>): string =>
  texts.length === 0 ? "'none'" : texts.map(hashOf).join(" ")

/** The headers of a page of the service that runs and loads nothing but what is in it. */
export const pageHeaders = ({
  scripts,
  styles,
  connect
}: Parts): Readonly<Record<string, string>> => ({
  "content-security-policy": [
    "default-src 'none'",
    `script-src ${sourcesOf(scripts)}`,
    `style-src ${sourcesOf(styles)}`,
    "img-src data:",
    `connect-src ${connect === undefined ? "'none'" : ["'self'", ...connect].join(" ")}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'"
  ].join("; "),
  "x-frame-options": "DENY",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cache-control": "no-cache"
})
