interface Filling {
  /** For `{{name}}`: text, which becomes no markup. */
  readonly texts: Readonly<Record<string, string>>
  /** For `<!-- name -->` to `<!-- /name -->`: whether what stands between them is shown. */
  readonly parts: Readonly<Record<string, boolean>>
}

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => escapes[sign] ?? "")

/** Fills the places of a page. Throws for a place that the filling does not have. */
export const fill = (template: string, { texts, parts }: Filling): string => {
  const shown = Object.entries(parts).reduce(withPart, template)
  const [, unknown] = shown.split("<!--", 2)
  if (unknown !== undefined) throw new Error(`the page has a part without a filling:${unknown}`)
  return shown.replace(/\{\{([a-z]+)\}\}/g, (_, name: string) => {
    const text = texts[name]
    if (text === undefined) throw new Error(`the page has a place ${name} without a filling`)
    return escaped(text)
  })
}

const withPart = (html: string, [name, shown]: readonly [string, boolean]): string => {
  const [before = "", rest = ""] = html.split(`<!-- ${name} -->`, 2)
  const [inside = "", after] = rest.split(`<!-- /${name} -->`, 2)
  if (after === undefined) throw new Error(`the page has no part ${name}`)
  return before + (shown ? inside : "") + after
}
