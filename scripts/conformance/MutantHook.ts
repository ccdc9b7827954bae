import { readFileSync } from "node:fs"
import { registerHooks } from "node:module"

// node --import MutantHook.ts?file=…&source=…: whatever is started reads one file from elsewhere.

const { searchParams } = new URL(import.meta.url)
const changed = searchParams.get("file")
const source = readFileSync(searchParams.get("source") ?? "", "utf8")

registerHooks({
  load: (url, context, nextLoad) => {
    const loaded = nextLoad(url, context)
    return url === changed ? { ...loaded, source } : loaded
  }
})
