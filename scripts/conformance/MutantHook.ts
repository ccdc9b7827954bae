import { readFileSync } from "node:fs"
import { registerHooks } from "node:module"
import { join } from "node:path"
import { pathToFileURL } from "node:url"

import { mutated } from "./ApplyMutant.ts"
import { ownMutantOf } from "./OwnMutants.ts"

// node --import MutantHook.ts?mutant=M-15: the sources of what is started are read with one change.

const repository = join(import.meta.dirname, "../..")
const id = new URL(import.meta.url).searchParams.get("mutant") ?? ""
const mutant = ownMutantOf(id)
const changed = pathToFileURL(join(repository, mutant.file)).href

registerHooks({
  load: (url, context, nextLoad) => {
    const loaded = nextLoad(url, context)
    if (url !== changed) return loaded
    return { ...loaded, source: mutated(readFileSync(new URL(url), "utf8"), mutant) }
  }
})
