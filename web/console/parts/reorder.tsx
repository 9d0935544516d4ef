// A list that is put in order by dragging, with mouse, finger or pen, and by buttons.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

interface ReorderProps<Item> {
  items: readonly Item[];
  label: string;
  onMove: (from: number, to: number) => void;
  row: (item: Item, index: number) => ComponentChildren;
}

interface Drag {
  from: number;
  /** The place at which the item would be put. */
  to: number;
}

/** Height of the strips at the window's edges in which a drag scrolls, and how far it does at a time. */
const EDGE = 48;

export function Reorder<Item extends { id: string; name: string }>({ items, label, onMove, row }: ReorderProps<Item>) {
  const list = useRef<HTMLOListElement>(null);
  const [drag, setDrag] = useState<Drag>();
  const pressed = useRef<{ id: string; move: string } | undefined>(undefined);

  // a button that was pressed moves with its row, which takes the focus from it in browsers without `moveBefore`
  useEffect(() => {
    const { id, move } = pressed.current ?? {};
    pressed.current = undefined;
    if (id) list.current?.querySelector<HTMLElement>(`[data-id="${id}"] [data-move="${move}"]`)?.focus();
  }, [items]);

  const press = (index: number, by: -1 | 1) => {
    const item = items[index];
    if (!item || items[index + by] === undefined) return;
    pressed.current = { id: item.id, move: String(by) };
    onMove(index, index + by);
  };
  const start = (event: PointerEvent, index: number) => {
    if (event.button !== 0) return;
    event.preventDefault();
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
    setDrag({ from: index, to: index });
  };
  const follow = ({ clientY }: PointerEvent) => {
    if (!drag || !list.current) return;
    if (clientY < EDGE) scrollBy(0, -EDGE / 4);
    if (clientY > innerHeight - EDGE) scrollBy(0, EDGE / 4);
    setDrag({ ...drag, to: placeAt(list.current, clientY, drag.from) });
  };
  const drop = () => {
    if (drag && drag.from !== drag.to) onMove(drag.from, drag.to);
    setDrag(undefined);
  };

  return (
    <ol class="reorder" ref={list} aria-label={label}>
      {items.map((item, index) => (
        <li
          key={item.id}
          data-id={item.id}
          data-dragged={drag?.from === index ? "" : undefined}
          data-drop={drag && dropSide(drag, index)}
        >
          <span
            class="handle"
            aria-hidden="true"
            title="Drag to another place"
            onPointerDown={(event) => start(event, index)}
            onPointerMove={follow}
            onPointerUp={drop}
            onPointerCancel={() => setDrag(undefined)}
          >
            <svg viewBox="0 0 16 16">
              <path d="M5 2h2v2H5zM9 2h2v2H9zM5 7h2v2H5zM9 7h2v2H9zM5 12h2v2H5zM9 12h2v2H9z" />
            </svg>
          </span>
          {row(item, index)}
          <span class="moves">
            <MoveButton name={item.name} by={-1} isOff={index === 0} onPress={() => press(index, -1)} />
            <MoveButton name={item.name} by={1} isOff={index === items.length - 1} onPress={() => press(index, 1)} />
          </span>
        </li>
      ))}
    </ol>
  );
}

interface MoveProps {
  name: string;
  by: -1 | 1;
  isOff: boolean;
  onPress: () => void;
}

/** At an end it is off in name only: a button that is disabled would lose the focus. */
function MoveButton({ name, by, isOff, onPress }: MoveProps) {
  return (
    <button
      type="button"
      class="plain"
      data-move={by}
      aria-disabled={isOff ? "true" : undefined}
      aria-label={`Move ${name} ${by < 0 ? "up" : "down"}`}
      onClick={onPress}
    >
      {by < 0 ? "↑" : "↓"}
    </button>
  );
}

/** On which side of an item the dragged one would be put; none where it would not be put beside it. */
function dropSide({ from, to }: Drag, index: number): "before" | "after" | undefined {
  if (to === from || to !== index) return undefined;
  return to < from ? "before" : "after";
}

/** The place of the list that is at this height, for the item that is dragged from another one. */
function placeAt(list: HTMLOListElement, height: number, from: number): number {
  const others = [...list.children].filter((_, index) => index !== from);
  return others.filter((other) => {
    const { top, bottom } = other.getBoundingClientRect();
    return (top + bottom) / 2 < height;
  }).length;
}
