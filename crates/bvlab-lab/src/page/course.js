// The course: lessons in units, in order; which of them were done, and the menu.
import { app, element, redraw } from "./app.js";
import { dialogHead } from "./dialogs.js";
import { state } from "./state.js";
import { readNote, writeNote } from "./notebook.js";

const DONE = "bvlab-done";

const progress = { done: null };

// The course that is followed.
export function courseNow() {
  const courses = app.lab?.courses ?? [];
  return courses.find((course) => course.name === state.course) ?? courses[0] ?? null;
}

// The lessons in order, each with its unit, minutes and notes. The first course has all others with it.
export function lessonsInOrder() {
  const course = courseNow();
  const places = new Map();
  for (const unit of course?.units ?? [])
    for (const place of unit.lessons) places.set(place.name, { unit, minutes: place.minutes, notes: place.notes });
  const known = (name) => app.lab.lessons.find((lesson) => lesson.name === name);
  const all = course === null || course === app.lab.courses[0];
  const lessons = all ? app.lab.lessons : [...places.keys()].map(known).filter((lesson) => lesson !== undefined);
  return lessons.map((lesson) => ({ lesson, ...(places.get(lesson.name) ?? { unit: null, minutes: null, notes: null }) }));
}

// The lesson that is shown, in the course; null where it is not in it.
export function placeNow() {
  if (!app.lab) return null;
  const lessons = lessonsInOrder();
  const at = lessons.findIndex(({ lesson }) => lesson.name === state.lesson);
  return at < 0 ? null : { ...lessons[at], number: at + 1, count: lessons.length };
}

// The lesson so many places on; from outside of the course its first.
export function neighbourLesson(by) {
  const lessons = lessonsInOrder();
  const at = lessons.findIndex(({ lesson }) => lesson.name === state.lesson);
  return lessons[at < 0 ? 0 : at + by]?.lesson ?? null;
}

function doneLessons() {
  if (!progress.done) {
    const text = readNote(DONE);
    progress.done = new Set(text === null ? [] : text.split(" "));
  }
  return progress.done;
}

// A lesson whose answer was seen is done.
export function noteDone() {
  if (state.step !== "answer" || state.lesson === null || doneLessons().has(state.lesson)) return;
  doneLessons().add(state.lesson);
  writeNote(DONE, [...doneLessons()].join(" "));
}

const minutesOf = (minutes) => (minutes ? `${minutes} min` : "");

// Where the lesson is in the course, with the way to its neighbours.
export function courseLine(open) {
  const place = placeNow();
  if (!place || place.count < 2) return [];
  const button = (id, by, label) => {
    const lesson = neighbourLesson(by);
    if (!lesson) return [];
    const act = { id, type: "button", title: lesson.title, onclick: () => open(lesson.name, lesson.question ? "question" : "") };
    return [element("button", act, label)];
  };
  const unit = place.unit ? ` · ${place.unit.title}` : "";
  return [
    element(
      "p",
      { class: "course" },
      ...button("previous-lesson", -1, "← Previous"),
      element("span", {}, `Lesson ${place.number} of ${place.count}${unit}`),
      ...button("next-lesson", 1, "Next lesson →"),
    ),
  ];
}

// What the strip with the course's line is made from.
export function courseKey() {
  return [state.course, state.lesson, placeNow()?.number ?? 0];
}

// The small picture of a lesson, where there are files of them: on a static site.
function thumbnailOf(lesson) {
  const { site, root } = document.documentElement.dataset;
  if (site === undefined) return null;
  return element("img", { src: `${root ?? ""}lessons/${encodeURIComponent(lesson.name)}/thumbnail.png`, alt: "", loading: "lazy" });
}

function lessonButton({ lesson, minutes }, open) {
  const done = doneLessons().has(lesson.name);
  const current = lesson.name === state.lesson;
  return element(
    "li",
    {},
    element(
      "button",
      {
        type: "button",
        "data-lesson": lesson.name,
        "data-done": done ? "" : null,
        "aria-current": current ? "true" : null,
        autofocus: current ? "" : null,
        onclick: () => open(lesson),
      },
      thumbnailOf(lesson),
      element("span", {}, lesson.title, done ? element("span", { class: "done", role: "img", "aria-label": "done" }, " ✓") : null),
      element("small", {}, [lesson.name, minutesOf(minutes)].filter((word) => word !== "").join(" · ")),
    ),
  );
}

// The courses, to choose one.
function courseSwitch(refill) {
  const courses = app.lab.courses ?? [];
  if (courses.length < 2) return [];
  const now = courseNow();
  const buttons = courses.map((course, i) =>
    element(
      "button",
      {
        type: "button",
        "data-course": course.name,
        "aria-pressed": String(course === now),
        title: course.about ?? null,
        onclick: () => {
          state.course = i === 0 ? "" : course.name;
          refill();
          redraw();
        },
      },
      course.title,
    ),
  );
  return [element("div", { class: "courses", role: "group", "aria-label": "Course" }, ...buttons)];
}

// The menu: units with their lessons.
export function fillCourse(dialog, open) {
  const groups = new Map();
  const lessons = lessonsInOrder();
  for (const one of lessons) {
    const title = one.unit?.title ?? one.lesson.group;
    if (!groups.has(title)) groups.set(title, { unit: one.unit, lessons: [] });
    groups.get(title).lessons.push(one);
  }
  const units = courseNow()?.units ?? [];
  const sections = [...groups].flatMap(([title, group]) => {
    const number = units.indexOf(group.unit) + 1;
    const words = [group.unit?.about ?? "", minutesOf(group.unit?.minutes)].filter((word) => word !== "");
    return [
      element("h3", {}, number > 0 ? `${number}. ${title}` : title),
      ...(words.length > 0 ? [element("p", { class: "about" }, words.join(" · "))] : []),
      element("ul", {}, ...group.lessons.map((one) => lessonButton(one, open))),
    ];
  });
  const done = lessons.filter(({ lesson }) => doneLessons().has(lesson.name)).length;
  const label = `${done} of ${lessons.length} lessons done`;
  dialog.replaceChildren(
    dialogHead("Lessons"),
    ...courseSwitch(() => fillCourse(dialog, open)),
    element(
      "p",
      { class: "progress" },
      element("progress", { max: String(lessons.length), value: done, "aria-label": label }),
      label,
    ),
    ...sections,
  );
}
