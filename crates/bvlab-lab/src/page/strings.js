// @ts-check
// The languages of the page. English is what the code says; every other language is a table from what the
// code says to what is shown. `{}` stands for what is computed (a number, a name), in the same order in both
// languages unless it is numbered: `{2}`. Titles, questions and answers of lessons are not the page's words.

/** @type {Record<string, string>} */
const GERMAN = {
  // The frame.
  Lessons: "Lektionen",
  Question: "Frage",
  "More ▾": "Mehr ▾",
  Lab: "Labor",
  Fits: "Anpassungen",
  "Trade-off": "Abwägung",
  "One point": "Ein Punkt",
  "Double descent": "Doppelter Abstieg",
  Figure: "Abbildung",
  "Side by side": "Nebeneinander",
  Controls: "Einstellungen",
  Numbers: "Zahlen",
  "Move the points": "Punkte verschieben",
  "Let the class follow": "Den Kurs folgen lassen",
  "The pages of the class show what yours shows (S)": "Die Seiten des Kurses zeigen, was Ihre zeigt (S)",
  "The class follows this page.": "Der Kurs folgt dieser Seite.",
  "Following the lecturer.": "Sie folgen der Lehrperson.",
  "Exploring on your own.": "Sie erkunden auf eigene Faust.",
  Stop: "Beenden",
  "Explore on my own": "Selbst erkunden",
  "Follow the lecturer": "Der Lehrperson folgen",
  "This experiment is too long for the class to follow.": "Dieser Versuch ist zu lang, als dass der Kurs ihm folgen könnte.",
  "Move, add and remove training points (G)": "Trainingspunkte verschieben, hinzufügen und entfernen (G)",
  "Your points": "Ihre Punkte",
  "● your points": "● Ihre Punkte",
  "Drag points; press where there is none to add one.": "Ziehen Sie Punkte; ein Druck daneben fügt einen hinzu.",
  "training error {}, risk {}": "Trainingsfehler {}, Risiko {}",
  "splits: {}, of which new at {}: {}": "Teilungen: {}, davon neu bei {}: {}",
  "mean of the {} nearest labels at x = {}: {}": "Mittel der {} nächsten Messwerte bei x = {}: {}",
  point: "Punkt",
  "all panels": "alle Felder",
  Panel: "Feld",
  "Panel before": "Voriges Feld",
  "Next panel": "Nächstes Feld",
  "As drawn": "Wie gezogen",
  Done: "Fertig",
  Export: "Speichern",
  Class: "Kurs",
  "Dark or light": "Dunkel oder hell",
  "Full screen": "Ganzer Bildschirm",
  Help: "Hilfe",
  Undo: "Rückgängig",
  Redo: "Wiederholen",
  Tools: "Werkzeuge",
  Scenes: "Ansichten",
  Learner: "Lernverfahren",
  Learners: "Lernverfahren",
  Lesson: "Lektion",
  Close: "Schließen",
  Code: "Code",
  Identity: "Summe",
  Dartboard: "Zielscheibe",
  Computing: "Es wird gerechnet",
  "{} (changed)": "{} (geändert)",
  "Lessons (M)": "Lektionen (M)",
  "Undo (Ctrl + Z)": "Rückgängig (Strg + Z)",
  "Redo (Ctrl + Shift + Z)": "Wiederholen (Strg + Umschalt + Z)",
  "The lesson's question (Q)": "Die Frage der Lektion (Q)",
  "Problem, learner, seed (C)": "Aufgabe, Lernverfahren, Startwert (C)",
  "The experiment as TOML, beside the picture (X)": "Der Versuch als TOML neben dem Bild (X)",
  "The experiment as TOML": "Der Versuch als TOML",
  "A table of the numbers (N)": "Die Zahlen als Tabelle (N)",
  "Pictures, tables, link (E)": "Bilder, Tabellen, Link (E)",
  "The address for the class (J)": "Die Adresse für den Kurs (J)",
  "Dark or light (D)": "Dunkel oder hell (D)",
  "Full screen (F)": "Ganzer Bildschirm (F)",
  "Help (?)": "Hilfe (?)",
  "The lab needs JavaScript.": "Das Labor braucht JavaScript.",
  "as the lesson opens": "wie die Lektion beginnt",
  "1 line changed": "1 Zeile geändert",
  "{} lines changed": "{} Zeilen geändert",
  // The player.
  "▶ Play": "▶ Abspielen",
  "❚❚ Pause": "❚❚ Pause",
  "Draw one": "Eine ziehen",
  All: "Alle",
  "Draw training sets": "Trainingsmengen ziehen",
  "All, again, speed": "Alle, von vorn, Tempo",
  "Play (P)": "Abspielen (P)",
  "Draw one training set (Space; hold for more)": "Eine Trainingsmenge ziehen (Leertaste; halten für mehr)",
  "Show all (End)": "Alle zeigen (Ende)",
  "Start again (R)": "Von vorn (R)",
  "Start again with nothing drawn": "Von vorn beginnen, nichts gezogen",
  "Training sets per second": "Trainingsmengen pro Sekunde",
  "Training sets per second ([ and ])": "Trainingsmengen pro Sekunde ([ und ])",
  "all {} training sets drawn": "alle {} Trainingsmengen gezogen",
  "{} of {} training sets so far": "bisher {} von {} Trainingsmengen",
  "{} of {} training sets": "{} von {} Trainingsmengen",
  "all {} resamples": "alle {} Ziehungen",
  "{} of {} resamples so far": "bisher {} von {} Ziehungen",
  "{} of {} resamples": "{} von {} Ziehungen",
  "Draw more": "Mehr ziehen",
  Simulation: "Simulation",
  resamples: "Ziehungen",
  "{} training sets": "{} Trainingsmengen",
  "1 training set": "1 Trainingsmenge",
  // The lesson's words.
  "Your own experiment": "Ihr eigener Versuch",
  "What do you expect? Decide before you continue.": "Was erwarten Sie? Legen Sie sich fest, bevor es weitergeht.",
  "Go on": "Weiter",
  // Courses, first steps, terms, the presenter's window.
  Course: "Kurs",
  Presenter: "Vortragsfenster",
  "Notes, clock and answer in a window of their own (K)": "Notizen, Uhr und Antwort in einem eigenen Fenster (K)",
  "the presenter’s window: notes, clock, answer": "das Vortragsfenster: Notizen, Uhr, Antwort",
  "First steps": "Erste Schritte",
  "▶ Go on": "▶ Weiter",
  Skip: "Überspringen",
  Explore: "Ausprobieren",
  "Begin the course": "Kurs beginnen",
  "← Previous": "← Zurück",
  "Next lesson →": "Nächste Lektion →",
  "Lesson {} of {}": "Lektion {} von {}",
  "{} of {} lessons done": "{} von {} Lektionen erledigt",
  done: "erledigt",
  "All controls": "Alle Einstellungen",
  "Show what is hidden": "Verborgenes zeigen",
  "Terms ({})": "Begriffe ({})",
  "Noisy measurements of an unknown function, and a curve that was fitted to them. What if we had measured again?":
    "Verrauschte Messungen einer unbekannten Funktion und eine Kurve, die ihnen angepasst wurde. Was wäre, wenn wir noch einmal gemessen hätten?",
  "Each orange line is a fit to another training set. Only the measurements differ.":
    "Jede orangefarbene Linie ist eine Anpassung an eine andere Trainingsmenge. Nur die Messungen unterscheiden sich.",
  "The spread of orange is the variance: how much the fit depends on the training set.":
    "Die Streuung der orangefarbenen Linien ist die Varianz: wie sehr die Anpassung von der Trainingsmenge abhängt.",
  "Blue is the mean of the fits. Its distance from the truth, in green, is the bias.":
    "Blau ist das Mittel der Anpassungen. Sein Abstand von der Wahrheit, in Grün, ist die Verzerrung.",
  "Both are errors: noise + bias² + variance = risk.": "Beides sind Fehler: Rauschen + Verzerrung² + Varianz = Risiko.",
  "More capacity means less bias and more variance. The risk is lowest in between.":
    "Mehr Kapazität heißt weniger Verzerrung und mehr Varianz. Dazwischen ist das Risiko am kleinsten.",
  "Drag the marker, and see which part of the error changes.":
    "Ziehen Sie die Marke, und sehen Sie, welcher Teil des Fehlers sich ändert.",
  "Close the question": "Frage schließen",
  "Your answer": "Ihre Antwort",
  "Your answer: {}": "Ihre Antwort: {}",
  "Answer {}": "Antworten: {}",
  "Your guess of the best {}": "Ihr Tipp für den besten Wert von {}",
  "You can change your answer until you see the right one.": "Sie können Ihre Antwort ändern, bis Sie die richtige sehen.",
  "Your answer is right. {} of {} right so far.": "Ihre Antwort ist richtig. Bisher {} von {} richtig.",
  "Your answer is not right. {} of {} right so far.": "Ihre Antwort ist nicht richtig. Bisher {} von {} richtig.",
  "Your answer counts. You can change it until voting closes.": "Ihre Antwort zählt. Sie können sie ändern, bis die Abstimmung endet.",
  "Sending your answer.": "Ihre Antwort wird gesendet.",
  "Choose an answer.": "Wählen Sie eine Antwort.",
  "Second round: answer again.": "Zweite Runde: Antworten Sie noch einmal.",
  "Voting has not begun.": "Die Abstimmung hat noch nicht begonnen.",
  "Voting is closed.": "Die Abstimmung ist beendet.",
  "Your class votes on another lesson.": "Ihr Kurs stimmt über eine andere Lektion ab.",
  "To the question": "Zur Frage",
  "Open voting": "Abstimmung eröffnen",
  "Close voting": "Abstimmung beenden",
  "Second round": "Zweite Runde",
  Reveal: "Auflösen",
  "Save counts (CSV)": "Ergebnisse speichern (CSV)",
  "Answers: {} · pages connected: {}": "Antworten: {} · verbundene Seiten: {}",
  "The best value is not known yet: wait until the run of the lesson as it opens has ended.":
    "Der beste Wert ist noch nicht bekannt: Warten Sie, bis die Lektion, wie sie beginnt, zu Ende gerechnet ist.",
  "Voting is closed. Answers: {}": "Die Abstimmung ist beendet. Antworten: {}",
  "Pages connected: {}": "Verbundene Seiten: {}",
  " ✓ right": " ✓ richtig",
  " your answer": " Ihre Antwort",
  "the best": "der beste",
  "first round {} right of {}, second round {} right of {}": "erste Runde {} richtig von {}, zweite Runde {} richtig von {}",
  "{} right of {}": "{} richtig von {}",
  "Look for": "Achten Sie auf",
  Answer: "Antwort",
  "Reveal answer": "Antwort zeigen",
  "Reveal the answer (A)": "Antwort zeigen (A)",
  "Try it": "Ausprobieren",
  "as it opens": "wie zu Beginn",
  "The words describe the lesson as it opens; you have changed it.":
    "Der Text beschreibt die Lektion, wie sie beginnt; Sie haben sie geändert.",
  "This run checked {} statements: all hold": "Dieser Lauf hat {} Aussagen geprüft: alle treffen zu",
  "This run checked {} statements: {} hold": "Dieser Lauf hat {} Aussagen geprüft: {} treffen zu",
  "Some of these estimates need care": "Einige dieser Schätzungen sind mit Vorsicht zu lesen",
  "Hide this note": "Hinweis ausblenden",
  "Open the lesson as it is": "Die Lektion öffnen, wie sie ist",
  // Pictures.
  truth: "Wahrheit",
  fit: "Anpassung",
  "{} refits": "{} Anpassungen",
  "mean fit": "Mittel",
  "mean of {}": "Mittel von {}",
  "● newest data": "● neueste Daten",
  "newest fit": "neueste Anpassung",
  right: "richtig",
  "right: prediction = truth": "richtig: Vorhersage = Wahrheit",
  noise: "Rauschen",
  "bias²": "Bias²",
  bias: "Verzerrung",
  variance: "Varianz",
  risk: "Risiko",
  measured: "gemessen",
  sum: "Summe",
  "risk, ○ measured": "Risiko, ○ gemessen",
  "risk ○": "Risiko ○",
  "training error": "Trainingsfehler",
  training: "Training",
  "testing error": "Testfehler",
  "median risk": "Median des Risikos",
  median: "Median",
  weights: "Gewichte",
  "squared error": "quadratischer Fehler",
  "share of errors": "Anteil der Fehler",
  "cross-entropy": "Kreuzentropie",
  // Rows of a table.
  "bias² + noise": "Bias² + Rauschen",
  "(bias² + noise) + variance = risk: what do you expect?": "(Bias² + Rauschen) + Varianz = Risiko: was erwarten Sie?",
  "(bias² + noise) + variance = risk: the first estimates are being computed.":
    "(Bias² + Rauschen) + Varianz = Risiko: die ersten Schätzungen werden berechnet.",
  "(bias² + noise) + variance = risk: error bars need {} more training sets.":
    "(Bias² + Rauschen) + Varianz = Risiko: Fehlerbalken brauchen noch {} Trainingsmengen.",
  "(bias² + noise) + variance = risk: error bars need {} more training set.":
    "(Bias² + Rauschen) + Varianz = Risiko: Fehlerbalken brauchen noch {} Trainingsmenge.",
  "● in the newest training set": "● in der neuesten Trainingsmenge",
  "○ to be drawn": "○ zu ziehen",
  "○ not in it": "○ nicht darin",
  "◆ held out": "◆ zurückgehalten",
  "◯ called wrong by refits": "◯ von Anpassungen falsch benannt",
  rows: "Zeilen",
  label: "Label",
  "label {}": "Label {}",
  "held-out row {}": "zurückgehaltene Zeile {}",
  "probabilities at held-out row {}": "Wahrscheinlichkeiten für die zurückgehaltene Zeile {}",
  "predictions at held-out row {}": "Vorhersagen für die zurückgehaltene Zeile {}",
  "average over all held-out rows:": "im Mittel über alle zurückgehaltenen Zeilen:",
  "Each dot is a row that is held out: its prediction against its label.":
    "Jeder Punkt ist eine zurückgehaltene Zeile: ihre Vorhersage über ihrem Label.",
  "{} of the held-out row": "{} der zurückgehaltenen Zeile",
  "right: prediction = label": "richtig: Vorhersage = Label",
  "The fits of this experiment are too many to be sent to the page.":
    "Die Anpassungen dieses Versuchs sind zu viele, um sie zu zeigen.",
  "{} of {} refits: {}": "{} von {} Anpassungen: {}",
  Columns: "Spalten",
  across: "waagerecht",
  upward: "senkrecht",
  "predictions against labels": "Vorhersagen über Labels",
  "training sets are": "Ziehung",
  "parts from {} training sets": "Teile aus {} Trainingsmengen",
  bootstraps: "Bootstraps",
  halves: "Hälften",
  "disjoint sets": "ohne gemeinsame Zeilen",
  "rows n": "Zeilen n",
  all: "alle",
  "share held out": "Anteil zurückgehalten",
  "{}: {} rows": "{}: {} Zeilen",
  // Classes.
  "Bayes’ rule": "Bayes-Regel",
  "a fit": "eine Anpassung",
  "vote of {}": "Mehrheit von {}",
  "geometric mean of {}": "geometrisches Mittel von {}",
  "○ class {}": "○ Klasse {}",
  "● class {}": "● Klasse {}",
  "▲ class {}": "▲ Klasse {}",
  "■ class {}": "■ Klasse {}",
  "✚ class {}": "✚ Klasse {}",
  "class {}": "Klasse {}",
  "← class {}": "← Klasse {}",
  "class {} →": "Klasse {} →",
  "predicted probability of class {}": "vorhergesagte Wahrscheinlichkeit der Klasse {}",
  "predicted probability of {}": "vorhergesagte Wahrscheinlichkeit: {}",
  "predicted probability": "vorhergesagte Wahrscheinlichkeit",
  "▬ arithmetic mean": "▬ arithmetisches Mittel",
  "◆ geometric mean": "◆ geometrisches Mittel",
  "Bayes’ rule: class {}": "Bayes-Regel: Klasse {}",
  "spread sd": "Streuung, σ",
  "flipped labels": "vertauschte Labels",
  loss: "Verlust",
  split: "Zerlegung",
  classes: "Klassen",
  prediction: "Vorhersage",
  "truth at the test point": "Wahrheit am Testpunkt",
  mean: "Mittel",
  "± sd": "± σ",
  "bias {}": "Bias {}",
  "quartiles {} and {}": "Quartile {} und {}",
  "average over all x:": "im Mittel über alle x:",
  "average over all test points:": "im Mittel über alle Testpunkte:",
  "at {}:": "bei {}:",
  "predictions at {}": "Vorhersagen bei {}",
  "from {} training sets": "aus {} Trainingsmengen",
  "split from {} training sets; dots: {} of them": "Zerlegung aus {} Trainingsmengen; Punkte: {} davon",
  "risk of all learners": "Risiko aller Lernverfahren",
  "Nothing is drawn yet.": "Noch ist nichts gezogen.",
  "{} more for error bars": "noch {} bis zu Fehlerbalken",
  "The first estimates are being computed.": "Die ersten Schätzungen werden berechnet.",
  "Space draws a training set.": "Die Leertaste zieht eine Trainingsmenge.",
  "The fits of this experiment are": "Die Anpassungen dieses Versuchs sind",
  "too many to be sent to the page.": "zu viele, um sie zu zeigen.",
  "The weights are being computed.": "Die Gewichte werden berechnet.",
  "There are no weights to show for this learner.": "Dieses Lernverfahren hat keine Gewichte.",
  "{} training sets; bands: 95 %": "{} Trainingsmengen; Bänder: 95 %",
  "{} training sets; bands: 95 %; faint: single ones": "{} Trainingsmengen; Bänder: 95 %; blass: einzelne",
  "{} training sets; dashed: exact; bands: 95 %": "{} Trainingsmengen; gestrichelt: exakt; Bänder: 95 %",
  "{} training sets; thin: before the last change; bands: 95 %": "{} Trainingsmengen; dünn: vor der letzten Änderung; Bänder: 95 %",
  "{} training sets; thin: before the last change": "{} Trainingsmengen; dünn: vor der letzten Änderung",
  "nothing is swept: the parts of the error, by learner": "nichts wird variiert: die Teile des Fehlers je Verfahren",
  "Gaps: means may not exist there. Brown: median and quartiles of single training sets.":
    "Lücken: dort gibt es vielleicht kein Mittel. Braun: Median und Quartile einzelner Trainingsmengen.",
  "Bias² estimated at or below 0 is drawn at the bottom.": "Ein auf 0 oder darunter geschätztes Bias² steht ganz unten.",
  "Dashed level: a learner that sweeps another parameter, at its best setting.":
    "Gestrichelte Höhe: ein Verfahren mit einem anderen Parameter, bei dessen bestem Wert.",
  "{}, best {} {}": "{}, bestes {} {}",
  "{} of {} learners: another one that is chosen takes the last place":
    "{} von {} Verfahren: ein anderes, das gewählt wird, nimmt den letzten Platz ein",
  "Nothing is swept here.": "Hier wird nichts variiert.",
  "A mean may not exist here.": "Hier gibt es vielleicht kein Mittel.",
  "noise + bias² + variance = risk: what do you expect?": "Rauschen + Bias² + Varianz = Risiko: was erwarten Sie?",
  "noise + bias² + variance = risk: the first estimates are being computed.":
    "Rauschen + Bias² + Varianz = Risiko: die ersten Schätzungen werden berechnet.",
  "noise + bias² + variance = risk: error bars need {} more training sets.":
    "Rauschen + Bias² + Varianz = Risiko: Fehlerbalken brauchen noch {} Trainingsmengen.",
  "noise + bias² + variance = risk: error bars need {} more training set.":
    "Rauschen + Bias² + Varianz = Risiko: Fehlerbalken brauchen noch {} Trainingsmenge.",
  "test point": "Testpunkt",
  "second test point": "zweiter Testpunkt",
  "test point {}": "Testpunkt {}",
  "Test points": "Testpunkte",
  "One test point": "Ein Testpunkt",
  "Show dartboard": "Zielscheibe zeigen",
  "Show one point": "Einen Punkt zeigen",
  Overlay: "Übereinander",
  "All learners' risks in one picture (O)": "Die Risiken aller Verfahren in einem Bild (O)",
  "ridge λ = {}": "Ridge λ = {}",
  "noise sd = {}": "Rauschen, Standardabw. = {}",
  // Controls.
  Problem: "Aufgabe",
  Run: "Lauf",
  seed: "Startwert",
  "noise sd": "Rauschen, σ",
  "noise is": "Verteilung",
  "points n": "Punkte n",
  inputs: "Eingaben",
  "from, to": "von, bis",
  dimensions: "Dimensionen",
  "the same inputs in every training set": "dieselben Eingaben in jeder Trainingsmenge",
  New: "Neu",
  "training sets": "Trainingsmengen",
  " exact theory, where it is known (T)": " exakte Theorie, wo sie bekannt ist (T)",
  "Experiment as TOML": "Versuch als TOML",
  "An experiment as TOML": "Ein Versuch als TOML",
  "Paste an experiment here.": "Fügen Sie hier einen Versuch ein.",
  "Run this": "Ausführen",
  "Open a file…": "Datei öffnen …",
  "Save TOML": "TOML speichern",
  "Undo all changes": "Alle Änderungen zurücknehmen",
  Add: "Hinzufügen",
  Remove: "Entfernen",
  learner: "Verfahren",
  "learner {}": "Verfahren {}",
  swept: "variiert",
  "and over": "und über",
  values: "Werte",
  nothing: "nichts",
  "made of": "besteht aus",
  "no limit": "unbegrenzt",
  // Dialogs.
  "From {} training sets; ± is half of a 95 % interval, + and − are its ends.":
    "Aus {} Trainingsmengen; ± ist die Hälfte eines 95-%-Intervalls, + und − sind seine Enden.",
  "No estimates yet: error bars need 4 training sets.": "Noch keine Schätzungen: Fehlerbalken brauchen 4 Trainingsmengen.",
  "The numbers are in the table, which Export saves (CSV).": "Die Zahlen stehen in der Tabelle, die „Speichern“ ausgibt (CSV).",
  "This scene": "Diese Ansicht",
  "Picture (PNG)": "Bild (PNG)",
  "Picture (SVG)": "Bild (SVG)",
  "Figure (SVG)": "Abbildung (SVG)",
  "Figure (PNG)": "Abbildung (PNG)",
  "Copy link": "Link kopieren",
  "Copy snippet": "Schnipsel kopieren",
  "Link copied.": "Link kopiert.",
  "Snippet copied.": "Schnipsel kopiert.",
  "Link to this scene": "Link zu dieser Ansicht",
  "Snippet to embed this scene": "Schnipsel zum Einbetten dieser Ansicht",
  Embed: "Einbetten",
  "{} is saved.": "{} ist gespeichert.",
  "Open this address": "Öffnen Sie diese Adresse",
  Join: "Beitreten",
  "Type the code that your lecturer shows": "Geben Sie den Code ein, den Ihre Lehrkraft zeigt",
  "The lab does not respond.": "Das Labor antwortet nicht.",
  // Help.
  "The picture opens with everything drawn. Space starts again with one training set. Drag on the trade-off to change what is swept; click on the fits to look at one x. The address bar always has the exact scene.":
    "Zu Beginn ist alles gezogen. Die Leertaste beginnt mit einer Trainingsmenge von vorn. Ziehen Sie in der Abwägung, um den Parameter zu ändern; klicken Sie auf die Anpassungen, um ein x anzusehen. Die Adresszeile enthält immer genau diese Ansicht.",
  "single letters, digits and signs are shortcuts (switch them off if you speak to your computer)":
    "einzelne Buchstaben, Ziffern und Zeichen sind Tastenkürzel (schalten Sie sie aus, wenn Sie mit Ihrem Rechner sprechen)",
  "scenes: Lab, Fits, Trade-off, One point, Double descent (where there is one), Figure, Side by side (several learners)":
    "Ansichten: Labor, Anpassungen, Abwägung, Ein Punkt, Doppelter Abstieg (wo es einen gibt), Abbildung, Nebeneinander (mehrere Verfahren)",
  "step through a lesson with a clicker: question, training sets one by one, all of them, answer, next lesson – and back":
    "mit einem Presenter durch eine Lektion: Frage, Trainingsmengen nacheinander, alle, Antwort, nächste Lektion – und zurück",
  Draw: "Ziehen",
  Look: "Ansehen",
  Teach: "Lehren",
  Page: "Seite",
  Space: "Leertaste",
  "draw one training set; hold for more": "eine Trainingsmenge ziehen; halten für mehr",
  "play and pause": "abspielen und anhalten",
  "slower, faster": "langsamer, schneller",
  "one training set back": "eine Trainingsmenge zurück",
  "start again with nothing drawn": "von vorn, nichts gezogen",
  "show all": "alle zeigen",
  "move the marker along the sweep": "den Zeiger bewegen",
  "the second parameter of a two-way sweep": "der zweite Parameter, wenn zwei variiert werden",
  "move the test point (Shift + arrow keys too)": "den Testpunkt bewegen (auch Umschalt + Pfeiltasten)",
  "next learner": "nächstes Lernverfahren",
  "overlay the learners (scene 3)": "Lernverfahren übereinander (Ansicht 3)",
  dartboard: "Zielscheibe",
  "exact theory on and off": "exakte Theorie ein und aus",
  "a table of the numbers": "die Zahlen als Tabelle",
  "the question, large": "die Frage, groß",
  "reveal the answer": "die Antwort zeigen",
  "what to look for": "worauf zu achten ist",
  "the menu of lessons": "die Liste der Lektionen",
  "black screen": "schwarzer Bildschirm",
  "the address for the class": "die Adresse für den Kurs",
  "controls: problem, learners, seed": "Einstellungen: Aufgabe, Lernverfahren, Startwert",
  "undo, redo": "rückgängig, wiederholen",
  "the experiment as TOML, with what you have changed": "der Versuch als TOML mit Ihren Änderungen",
  "export: pictures, table, TOML, link": "speichern: Bilder, Tabelle, TOML, Link",
  "full screen": "ganzer Bildschirm",
  "dark and light": "dunkel und hell",
  "larger, smaller, normal text": "größerer, kleinerer, normaler Text",
  "this help": "diese Hilfe",
  close: "schließen",
  "Trying again in {} s.": "Neuer Versuch in {} s.",
  "The connection to the lab was lost.": "Die Verbindung zum Labor ist abgerissen.",
};

/** @type {Record<string, Record<string, string>>} */
export const LANGUAGES = { en: {}, de: GERMAN };

/**
 * The language to speak: the one that is asked for, else the first preferred one that there is.
 * @param {string | null} asked
 * @param {readonly string[]} preferred
 */
export function languageOf(asked, preferred) {
  const short = (/** @type {string} */ name) => name.toLowerCase().split("-")[0];
  const wanted = asked === null ? preferred.map(short) : [short(asked)];
  return wanted.find((name) => Object.hasOwn(LANGUAGES, name)) ?? "en";
}

/**
 * Translates with a table: texts as they are, and those with something computed in them.
 * @param {Record<string, string>} table
 * @returns {(text: string) => string}
 */
export function translator(table) {
  const patterns = Object.entries(table)
    .filter(([said]) => said.includes("{}"))
    .map(([said, shown]) => {
      const plain = said.split("{}").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
      return { pattern: new RegExp(`^${plain.join("(.+?)")}$`), shown };
    });
  /** @param {string} text */
  const found = (text) => {
    if (Object.hasOwn(table, text)) return table[text];
    for (const { pattern, shown } of patterns) {
      const parts = pattern.exec(text);
      if (!parts) continue;
      let next = 1;
      return shown.replace(/\{(\d*)\}/g, (_, number) => parts[number === "" ? next++ : Number(number)]);
    }
    return text;
  };
  /** @type {Map<string, string>} */
  const known = new Map();
  return (text) => {
    let shown = known.get(text);
    if (shown === undefined) {
      const [, before, core, after] = /^(\s*)([^]*?)(\s*)$/.exec(text) ?? ["", "", text, ""];
      shown = Object.hasOwn(table, text) ? table[text] : core === "" ? text : `${before}${found(core)}${after}`;
      if (known.size > 5000) known.clear();
      known.set(text, shown);
    }
    return shown;
  };
}

const speaking = { language: "en", translate: (/** @type {string} */ text) => text };

/**
 * What is shown for what the code says.
 * @param {string} text
 */
export function say(text) {
  return speaking.language === "en" ? text : speaking.translate(text);
}

const SAID = ["title", "aria-label", "placeholder"];

/**
 * Whether the value of an attribute is words for readers.
 * @param {string} name
 */
export function isSaid(name) {
  return SAID.includes(name);
}

/**
 * Chooses a language and translates what is on the page already.
 * @param {string} language
 */
export function speak(language) {
  speaking.language = language;
  if (language === "en") return;
  speaking.translate = translator(LANGUAGES[language]);
  document.documentElement.lang = language;
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const node = texts.currentNode;
    if (!node.parentElement?.closest("script, style")) node.nodeValue = say(node.nodeValue ?? "");
  }
  for (const one of document.body.querySelectorAll("*"))
    for (const name of SAID) if (one.hasAttribute(name)) one.setAttribute(name, say(one.getAttribute(name) ?? ""));
  // Lessons are in English.
  for (const id of ["title", "strip", "card"]) document.getElementById(id)?.setAttribute("lang", "en-GB");
}
