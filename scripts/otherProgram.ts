import { registerHooks } from "node:module"

// node --import otherProgram.ts?versions=-1: the service as a program of another version of the runners' protocol.
// An older one does not know the newest migration, either. With &named=9.9.9 it calls itself that version.

interface Change {
  readonly file: string
  readonly from: RegExp
  readonly to: (...found: ReadonlyArray<string>) => string
}

const asked = new URL(import.meta.url).searchParams
const versions = Number(asked.get("versions"))
const named = asked.get("named")

const changes: ReadonlyArray<Change> = [
  {
    file: "/packages/actors/src/cluster/RunnerProtocol.ts",
    from: /runnerProtocol: ProtocolVersions = \{ oldest: (\d+), newest: (\d+) \}/,
    to: (_all, oldest, newest) =>
      `runnerProtocol: ProtocolVersions = { oldest: ${Math.max(1, Number(oldest) + versions)}, newest: ${Number(newest) + versions} }`
  },
  ...(named === null
    ? []
    : [
        {
          file: "/packages/api/package.json",
          from: /"version": "[^"]+"/,
          to: () => `"version": "${named}"`
        }
      ]),
  ...(versions < 0
    ? [
        {
          file: "/packages/actors/src/store/Migrations.ts",
          from: /return Object\.fromEntries\(named\)/,
          to: () => "return Object.fromEntries(named.slice(0, -1))"
        }
      ]
    : [])
]

registerHooks({
  load: (url, context, nextLoad) => {
    const loaded = nextLoad(url, context)
    const change = changes.find(({ file }) => url.endsWith(file))
    if (change === undefined) return loaded
    // Node gives the source of a module's file as bytes.
    const text = Buffer.from(loaded.source as Uint8Array).toString()
    const source = text.replace(change.from, change.to)
    if (source === text) throw new Error(`${change.file} has changed: adapt otherProgram.ts`)
    return { ...loaded, source }
  }
})
