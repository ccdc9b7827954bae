import type { Save } from "@atrium/domain/rooms/RoomsApi"
import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"

import type { CompareAnswer } from "../compare.ts"
import { Empty, Waiting } from "../parts/Empty.tsx"
import { Fault } from "../parts/Fault.tsx"
import { Moment } from "../parts/Moment.tsx"
import { More } from "../parts/More.tsx"
import { Panel } from "../parts/Panel.tsx"
import { Tenant } from "../parts/Tenant.tsx"
import type { Refusal } from "../service/Service.ts"
import { bytesText, countText } from "../text/Numbers.ts"
import type { Change, Comparison } from "./CompareSaves.ts"
import { compareInWorker } from "./CompareWorker.ts"
import { readSide, type SavedRoom } from "./SaveFiles.ts"
import { isCompared } from "./SaveText.ts"

interface Props {
  readonly room: SavedRoom
  readonly before: Save
  readonly after: Save
}

type Shown = { readonly _tag: "Reading" } | CompareAnswer | Refusal

/** What differs between two saves. */
export const ChangesPanel = ({ room, before, after }: Props) => {
  const shown = useSignal<Shown>({ _tag: "Reading" })
  useEffect(() => {
    const abort = new AbortController()
    void compared({ room, before, after }, abort.signal).then((next) => {
      if (!abort.signal.aborted) shown.value = next
    })
    return () => abort.abort()
  }, [before.saveId, after.saveId])
  return (
    <Panel title="What differs">
      <p class="sub-line">
        From <Side save={before} /> to <Side save={after} />.
      </p>
      <Answer shown={shown.value} />
    </Panel>
  )
}

const Side = ({ save }: { save: Save }) => (
  <>
    <code>{save.saveId}</code> (<Moment at={save.createdAt} as="time" />, version {save.version})
  </>
)

const Answer = ({ shown }: { shown: Shown }) => {
  switch (shown._tag) {
    case "Reading":
      return <Waiting what="Comparing" />
    case "Refused":
      return <Fault refusal={shown} />
    case "Unreadable":
      return (
        <Empty title="The saves are not compared.">
          <p>
            <Tenant text={shown.why} />
          </p>
        </Empty>
      )
    case "Compared":
      return shown.comparison.total === 0 ? (
        <Empty title="Nothing differs.">
          <p>Every field has the same value in both saves.</p>
        </Empty>
      ) : (
        <Changes {...shown.comparison} />
      )
  }
}

/** Changes that are drawn at first, and at each click. */
const step = 100

const Changes = ({ changes, total }: Comparison) => {
  const max = useSignal(step)
  const left = total - Math.min(max.value, changes.length)
  return (
    <>
      <table class="changes" aria-label="Changes">
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Before</th>
            <th scope="col">After</th>
          </tr>
        </thead>
        <tbody>
          {changes.slice(0, max.value).map((change) => (
            <Row key={change.path} change={change} />
          ))}
        </tbody>
      </table>
      {left > 0 && (
        <p class="sub-line">
          {max.value < changes.length ? (
            <More left={left} onClick={() => (max.value += step)} />
          ) : (
            `${countText(left)} more are not shown.`
          )}
        </p>
      )}
    </>
  )
}

const Row = ({ change: { path, before, after } }: { change: Change }) => (
  <tr>
    <th scope="row">
      <Tenant text={path} max={160} />
    </th>
    <td class="old">{before === null ? <None /> : <Tenant text={before} max={200} />}</td>
    <td class="new">{after === null ? <None /> : <Tenant text={after} max={200} />}</td>
  </tr>
)

const None = () => <span class="faint">not there</span>

const compared = async (
  { room, before, after }: Props,
  signal: AbortSignal
): Promise<Exclude<Shown, { readonly _tag: "Reading" }>> => {
  const tooLarge = [before, after].find((save) => !isCompared(save))
  if (tooLarge !== undefined) {
    const why = `${tooLarge.saveId} has ${bytesText(tooLarge.bytes)}, too many for a page: download it.`
    return { _tag: "Unreadable", why }
  }
  const [old, now] = await Promise.all([
    readSide(room, before, signal),
    readSide(room, after, signal)
  ])
  if ("_tag" in old) return old
  if ("_tag" in now) return now
  return compareInWorker({ before: old, after: now }, signal)
}
