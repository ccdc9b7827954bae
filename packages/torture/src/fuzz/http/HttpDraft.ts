type Header = readonly [name: string, value: string]

/** A request that is still being put together: right, until a case makes it wrong. */
export interface HttpDraft {
  readonly method: string
  /** Path and query, as they are written. */
  readonly target: string
  readonly headers: ReadonlyArray<Header>
  /** `null` = none is announced. */
  readonly body: Buffer | null
  /** The lines that say how long the body is; `null` = rightly, by its length. */
  readonly framing: ReadonlyArray<Header> | null
  /** One more line of the head, written as it is. */
  readonly oddLine?: string
}

const isNamed =
  (name: string) =>
  ([each]: Header): boolean =>
    each.toLowerCase() === name

/** The draft with one header of that name, `null` = none. */
export const withHeader = (draft: HttpDraft, name: string, value: string | null): HttpDraft => {
  const others = draft.headers.filter((header) => !isNamed(name)(header))
  return { ...draft, headers: value === null ? others : [...others, [name, value]] }
}

/** The draft with one more header, whatever else it has. */
export const withAnother = (draft: HttpDraft, name: string, value: string): HttpDraft => ({
  ...draft,
  headers: [...draft.headers, [name, value]]
})

export const withQuery = (draft: HttpDraft, query: string): HttpDraft => ({
  ...draft,
  target: `${draft.target}${draft.target.includes("?") ? "&" : "?"}${query}`
})

export const withBody = (draft: HttpDraft, body: Buffer | string): HttpDraft => ({
  ...draft,
  body: typeof body === "string" ? Buffer.from(body) : body
})

/** The bytes of a request. Characters above U+00FF have no place in its head. */
export const bytesOf = (draft: HttpDraft): Buffer => {
  const { method, target, headers, body, framing, oddLine } = draft
  const length: ReadonlyArray<Header> =
    body === null ? [] : [["content-length", String(body.length)]]
  const lines = [...headers, ...(framing ?? length)].map(([name, value]) => `${name}: ${value}`)
  const odd = oddLine === undefined ? [] : [oddLine]
  const head = [`${method} ${target} HTTP/1.1`, ...lines, ...odd, "", ""].join("\r\n")
  return Buffer.concat([Buffer.from(head, "latin1"), body ?? Buffer.alloc(0)])
}

/** A body in pieces, as `transfer-encoding: chunked` wants them. */
export const chunked = (body: Buffer, pieceBytes: number): Buffer => {
  const pieces: Buffer[] = []
  for (let at = 0; at < body.length; at += pieceBytes) {
    const piece = body.subarray(at, at + pieceBytes)
    pieces.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n"))
  }
  return Buffer.concat([...pieces, Buffer.from("0\r\n\r\n")])
}
