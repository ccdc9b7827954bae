import { pageHeaders } from "../http/PagePolicy.ts"

/** A game as a page: its styles are in it. */
export interface GamePage {
  readonly style: string
  /** Its script stands in it, or is loaded from a path of the service and may compile WebAssembly. */
  readonly script: { readonly text: string } | { readonly path: string }
  /** The page for the players of a project. */
  readonly html: (projectId: string) => string
}

/** How the pages of the examples name their script. */
const scriptTag = '<script type="module" src="client.js"></script>'

/** Makes one page of the files of an example. Throws for a page without the places that it fills. */
export const gamePage = (html: string, script: string): GamePage => {
  // A text in the script must not end it.
  const text = script.trim().replaceAll("</script", "<\\/script")
  return pageOf(html, { text }, `<script type="module">${text}</script>`)
}

/** The same with a script that the page loads. @param path of the service, of letters that a URL has */
export const loadingPage = (html: string, path: string): GamePage =>
  pageOf(html, { path }, `<script type="module" src="${path}"></script>`)

const pageOf = (html: string, script: GamePage["script"], tag: string): GamePage => {
  if (!html.includes(scriptTag)) throw new Error(`the page has no ${scriptTag}`)
  const whole = withSetting(html, "service", "").replace(scriptTag, () => tag)
  return {
    style: html.slice(...insideOf(html, { before: "<style>", after: "</style>" })),
    script,
    html: (projectId) => withSetting(whole, "project", projectId)
  }
}

/** The examples read their service and project from the head of the page. */
const withSetting = (html: string, name: string, value: string): string => {
  const before = `<meta name="atrium-${name}" content="`
  const [start, end] = insideOf(html, { before, after: '"' })
  return html.slice(0, start) + value + html.slice(end)
}

interface Marks {
  readonly before: string
  readonly after: string
}

/** Where the text between two marks starts and ends, the first time that they come. */
const insideOf = (html: string, { before, after }: Marks): readonly [number, number] => {
  const at = html.indexOf(before)
  const start = at + before.length
  const end = html.indexOf(after, start)
  if (at < 0 || end < 0) throw new Error(`the page has no ${before}`)
  return [start, end]
}

/**
 * The headers of a game: it may ask this service, also by WebSocket, which older browsers do not take
 * for the same origin. A game that loads its script runs that one, which may compile WebAssembly.
 *
 * @param url of this service, as the player knows it
 */
export const gameHeaders = ({ style, script }: GamePage, url: string) =>
  pageHeaders({
    ...("path" in script
      ? { scripts: [], loads: [url + script.path], wasm: true }
      : { scripts: [script.text] }),
    styles: [style],
    pictures: true,
    connect: [url.replace(/^http/, "ws")]
  })
