/** What is wrong with a text of XML; null = it is well-formed, as far as the reports go. */
export const xmlFault = (xml: string): string | null => {
  const open: Array<string> = []
  const [, body = ""] = /^<\?xml version="1\.0" encoding="UTF-8"\?>\n([^]*)$/.exec(xml) ?? []
  if (body === "") return "no declaration"
  const token =
    /<(\/?)([a-z]+)((?: [a-z]+="[^"<&]*(?:&(?:amp|lt|gt|quot);[^"<&]*)*")*)(\/?)>|([^<]+)/gy
  let at = 0
  for (let match = token.exec(body); match !== null; match = token.exec(body)) {
    at = token.lastIndex
    const [, end, name = "", , empty, text] = match
    if (text !== undefined && /&(?!(?:amp|lt|gt|quot);)/.test(text)) return `an entity in ${text}`
    if (text !== undefined && open.length === 0 && text.trim() !== "") return `${text} outside`
    if (text !== undefined || empty === "/") continue
    if (end !== "/") open.push(name)
    else if (open.pop() !== name) return `</${name}> ends another`
  }
  if (at !== body.length) return `not read from ${body.slice(at, at + 60)}`
  // oxlint-disable-next-line no-control-regex -- These are what XML forbids.
  if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/.test(xml)) return "a character"
  return open.length === 0 ? null : `${open.join()} is open`
}
