import { createHash, randomBytes } from "node:crypto"
import { lstat, readdir } from "node:fs/promises"
import { join, relative, resolve } from "node:path"

import { readProjectFile, readStatic } from "@atrium/domain/projects/ProjectFile"
import type { ClientBundler } from "@atrium/sdk/bundle/ClientBundle"
import { Console, Effect, Result } from "effect"

import { isIgnored, watchFolders } from "../deployments/FolderWatch.ts"
import { shown } from "../projects/ProjectFileText.ts"
import { locate, type ProjectPlace } from "../projects/ProjectFolder.ts"
import { type ShownSite, startDevSite } from "./DevSiteServer.ts"
import { makeLiveReload } from "./LiveReload.ts"
import { isPublished } from "./SiteWalk.ts"

interface Serving {
  readonly place: ProjectPlace
  /** `null` = one that is free. */
  readonly port: number | null
  /** Told once, when it is served. */
  readonly served: (address: string, folder: string) => Effect.Effect<void>
}

/**
 * Serves the page of the project file's key `static`, as soon as its folder holds an index.html, and
 * loads the pages that are open anew on a change. Never ends. Spec: Project file, static; C-372.
 */
export const serveSite = Effect.fn("ServeSite.run")(function* (serving: Serving) {
  const { place, port, served } = serving
  const reload = makeLiveReload(randomBytes(4).toString("hex"))
  const says = saysAnew()
  let plan = yield* planOf(place)
  const watched = yield* Effect.promise(() => watchedOf(plan))
  const { nextChange } = yield* watchFolders(watched)
  const bundle = yield* clientBundles
  let site: ShownSite | null = null
  let prints = ""
  for (;;) {
    // A project file that is being written is there again after the next change.
    plan = yield* Effect.catch(planOf(place), () => Effect.succeed(plan))
    const { dir } = plan
    if (plan.problem !== null) yield* says(plan.problem)
    if (dir !== null && !(yield* Effect.promise(() => holdsIndex(dir)))) {
      // A build makes the folder anew: the page that is served already comes back with its end.
      if (site === null) yield* says(noIndexYet(plan))
    } else if (dir !== null) {
      const built: Bundled = yield* bundle(plan, site?.bundled ?? new Map())
      yield* says(built.messages.map((text) => `client: ${text}`).join("\n"))
      const now = yield* Effect.promise(() => fingerprint(dir, built.files))
      const isFirst = site === null
      site = { root: dir, bundled: built.files }
      if (isFirst) {
        const current: () => ShownSite = () => site ?? { root: dir, bundled: new Map() }
        const address = yield* startDevSite({ shown: current, reload }, port)
        yield* served(`http://localhost:${address}`, plan.shownDir)
      } else if (now !== prints) reload.changed()
      prints = now
    }
    yield* nextChange
  }
})

/** The page of a project, as its file says now. */
interface SitePlan {
  /** Absolute. */
  readonly root: string
  /** Absolute; `null` = the project has no page. */
  readonly dir: string | null
  readonly shownDir: string
  /** Absolute; `null` = nothing is bundled. */
  readonly client: string | null
  /** Why the page is not served. */
  readonly problem: string | null
}

const planOf = Effect.fnUntraced(function* (place: ProjectPlace) {
  const { cwd, root, text, shownPath } = yield* locate(place)
  const key = readStatic(text ?? "")
  // A file that is no good is refused by the deployment.
  const file = Result.getOrElse(readProjectFile(text ?? "{}"), () => null)
  const site = file === null ? null : Result.getOrElse(key, () => null)
  const dir = site && resolve(root, site.dir)
  const plan: SitePlan = {
    root,
    dir,
    shownDir: dir === null ? "" : shown(cwd, dir),
    client: file?.client === undefined ? null : resolve(root, file.client),
    problem:
      file !== null && Result.isFailure(key)
        ? `${shownPath}: ${key.failure}; the page is not served`
        : null
  }
  return plan
})

const noIndexYet = ({ shownDir }: SitePlan): string =>
  `${shownDir}: holds no index.html yet; the page is served as soon as it does`

/** The project's folder, and the page's where the first is not enough to see its changes. */
const watchedOf = async ({ root, dir }: SitePlan): Promise<ReadonlyArray<string>> => {
  if (dir === null) return [root]
  const below = relative(root, dir)
  const covered = !below.startsWith("..") && !isIgnored(below)
  return covered || !(await isFolder(dir)) ? [root] : [root, dir]
}

const isFolder = async (path: string): Promise<boolean> =>
  (await lstat(path).catch(() => null))?.isDirectory() ?? false

const holdsIndex = async (dir: string): Promise<boolean> => {
  const index = await lstat(join(dir, "index.html")).catch(() => null)
  return index !== null && index.isFile() && (await isFolder(dir))
}

/** A text that differs when a file of the page, or of its client, is another one. */
const fingerprint = async (
  dir: string,
  bundled: ReadonlyMap<string, Uint8Array>
): Promise<string> => {
  const made = [...bundled].map(
    ([name, content]) => `${name} ${createHash("sha256").update(content).digest("hex")}`
  )
  return [...(await printsIn(dir)), ...made].toSorted().join("\n")
}

/** Size and time of each file that would be published. What vanishes meanwhile is the next change. */
const printsIn = async (folder: string): Promise<ReadonlyArray<string>> => {
  const prints: Array<string> = []
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    if (!isPublished(entry.name, false)) continue
    const path = join(folder, entry.name)
    if (entry.isDirectory()) prints.push(...(await printsIn(path)))
    if (!entry.isFile()) continue
    const info = await lstat(path).catch(() => null)
    if (info !== null) prints.push(`${path} ${info.size} ${info.mtimeMs}`)
  }
  return prints
}

interface Bundled {
  readonly files: ReadonlyMap<string, Uint8Array>
  readonly messages: ReadonlyArray<string>
}

/** Bundles the client that a plan names, with what it knows of the build before; ends with the scope. */
const clientBundles = Effect.gen(function* () {
  let current: { readonly entry: string; readonly bundler: ClientBundler } | null = null
  const end = Effect.promise(async () => {
    const last = current
    current = null
    await last?.bundler.end()
  })
  yield* Effect.addFinalizer(() => end)
  return Effect.fnUntraced(function* ({ client, root }: SitePlan, before: Bundled["files"]) {
    if (client !== current?.entry) yield* end
    if (client === null) return { files: new Map<string, Uint8Array>(), messages: [] }
    const { bundler } = (current ??= {
      entry: client,
      bundler: yield* Effect.promise(() => bundlerOf(client, root))
    })
    const { files, messages } = yield* Effect.promise(() => bundler.build())
    const bundled: Bundled = { files: files ?? before, messages }
    return bundled
  })
})

/** Says on standard error what it did not say the last time. */
const saysAnew = () => {
  let last = ""
  return (text: string): Effect.Effect<void> => {
    const isNew = text !== last && text !== ""
    last = text
    return isNew ? Console.error(text) : Effect.void
  }
}

const bundlerOf = async (client: string, root: string): Promise<ClientBundler> => {
  const { makeClientBundler } = await import("@atrium/sdk/bundle/ClientBundle")
  return makeClientBundler(client, root)
}
