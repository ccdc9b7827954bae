import type { ComponentChildren } from "preact"

/** A list without rows: what would be here, and what to do next. */
export const Empty = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <div class="empty">
    <p class="empty-title">{title}</p>
    <div>{children}</div>
  </div>
)

/** Something is on its way. */
export const Waiting = ({ what = "Reading" }: { what?: string }) => (
  <p class="waiting" role="status">
    {what}…
  </p>
)
