import { createHash } from "node:crypto"

/** Names a script or a style of a page by its text, as a content security policy does. */
export const sourceHash = (text: string): string =>
  `'sha256-${createHash("sha256").update(text).digest("base64")}'`

interface Parts {
  /** The texts of the page's own scripts and styles: nothing else runs or shows. */
  readonly scripts: ReadonlyArray<string>
  readonly styles: ReadonlyArray<string>
  /** The addresses of scripts that the page loads; absent = none. */
  readonly loads?: ReadonlyArray<string>
  /** Whether its scripts may compile WebAssembly; absent = they may not. */
  readonly wasm?: boolean
  /** Whether pictures are shown that stand in the page itself, as `data:`. */
  readonly pictures: boolean
  /** The origins that the scripts may ask besides this service; absent = they ask nobody. */
  readonly connect?: ReadonlyArray<string>
}

const sourcesOf = (texts: ReadonlyArray<string>, others: ReadonlyArray<string> = []): string => {
  const sources = [...texts.map(sourceHash), ...others]
  return sources.length === 0 ? "'none'" : sources.join(" ")
}

/** The headers of a page of the service that runs and loads nothing but what is in it. */
export const pageHeaders = ({
  scripts,
  styles,
  loads = [],
  wasm = false,
  pictures,
  connect
}: Parts): Readonly<Record<string, string>> =>
  lockedHeaders([
    `script-src ${sourcesOf(scripts, [...loads, ...(wasm ? ["'wasm-unsafe-eval'"] : [])])}`,
    `style-src ${sourcesOf(styles)}`,
    ...(pictures ? ["img-src data:"] : []),
    `connect-src ${connect === undefined ? "'none'" : ["'self'", ...connect].join(" ")}`
  ])

/** The headers of a page of the service that does nothing but what the directives allow. */
export const lockedHeaders = (
  directives: ReadonlyArray<string>
): Readonly<Record<string, string>> => ({
  "content-security-policy": [
    "default-src 'none'",
    ...directives,
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
