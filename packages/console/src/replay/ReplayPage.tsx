import { type Signal, useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"

import { Empty, Waiting } from "../parts/Empty.tsx"
import { Fault } from "../parts/Fault.tsx"
import { Guarded } from "../parts/Guarded.tsx"
import { Tenant } from "../parts/Tenant.tsx"
import { shownText } from "../text/ShownText.ts"
import { ReplayView } from "./ReplayView.tsx"
import { type AnyReplay, type Shown, shownOf } from "./Shown.ts"

/** A clip or a recording of any game, for everybody who has its address. */
export const ReplayPage = ({ address }: { address: string }) => {
  const shown = useSignal<Shown>({ _tag: "Opening" })
  useEffect(() => {
    void open(address, shown)
  }, [])
  return (
    <main id="main" class="page replay">
      <div class="page-inner">
        <Guarded>
          <Content shown={shown.value} again={() => void open(address, shown)} />
        </Guarded>
      </div>
    </main>
  )
}

const open = async (address: string, shown: Signal<Shown>): Promise<void> => {
  shown.value = { _tag: "Opening" }
  const next = await shownOf(address)
  document.title = next._tag === "Open" ? titleOf(next.replay) : "Replay · Atrium"
  shown.value = next
}

const titleOf = ({ id }: AnyReplay): string => `${shownText(id, 80).text} · Replay · Atrium`

const Content = ({ shown, again }: { shown: Shown; again: () => void }) => {
  switch (shown._tag) {
    case "Opening":
      return <Waiting what="Reading the replay" />
    case "Open":
      return (
        <>
          <Head replay={shown.replay} />
          <ReplayView replay={shown.replay} />
        </>
      )
    case "Gone":
      return (
        <div class="panel">
          <Empty title="This replay is not here.">
            <p>It has expired or was deleted, or its address is not whole.</p>
            <p>
              Replays are kept for a time that their game chooses. What has gone cannot be brought
              back.
            </p>
          </Empty>
        </div>
      )
    case "Refused":
      return (
        <div class="panel">
          <Fault refusal={shown.refusal} again={again} />
        </div>
      )
  }
}

const Head = ({ replay }: { replay: AnyReplay }) => (
  <div class="page-head">
    <p class="trail">
      {replay.kind === "clip" ? "Clip" : "Recording"} of a room of type{" "}
      <Tenant text={replay.type} max={64} />
    </p>
    <h1>
      <Tenant text={replay.id} max={128} />
    </h1>
    <p class="faint replay-facts">
      <Day at={replay.startedAt} />, version {replay.version}. The link stops{" "}
      <Day at={replay.expiresAt} />.
    </p>
  </div>
)

const Day = ({ at }: { at: Date }) => (
  <time dateTime={at.toISOString()}>
    {at.toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" })}
  </time>
)
