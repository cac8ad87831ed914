// Scrolls 5,000 cells of plain pictures in a GTK window as fast as the gallery's test does, to the middle, and prints the
// main thread's work a frame: the floor of that test. No picture is loaded; each is a texture of 160 x 160 pixels with round
// corners.
#define _GNU_SOURCE
#include <gtk/gtk.h>
#include <sys/resource.h>
#include <time.h>

enum { CELLS = 5000, SIDE = 160, TEXTURES = 60, MOST_FRAMES = 1 << 16 };

static GdkTexture *textures[TEXTURES];
static GtkAdjustment *adjustment;
static GMainLoop *loop;
static double seconds;
static gint64 start;
static double wall, work, began_wall, began_work;
static double walls[MOST_FRAMES], works[MOST_FRAMES];
static int frames;

static double milliseconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

static gint timed_poll(GPollFD *descriptors, guint count, gint timeout) {
    wall += milliseconds(CLOCK_MONOTONIC) - began_wall;
    work += milliseconds(CLOCK_THREAD_CPUTIME_ID) - began_work;
    gint result = g_poll(descriptors, count, timeout);
    began_wall = milliseconds(CLOCK_MONOTONIC);
    began_work = milliseconds(CLOCK_THREAD_CPUTIME_ID);
    return result;
}

static GdkTexture *make_texture(int number) {
    guint32 *pixels = g_malloc0(SIDE * SIDE * 4);
    for (int y = 2; y < SIDE - 2; y++)
        for (int x = 2; x < SIDE - 2; x++) pixels[y * SIDE + x] = 0xff000000u | (number * 7919u + x * y);
    GBytes *bytes = g_bytes_new_take(pixels, SIDE * SIDE * 4);
    GdkTexture *texture = gdk_memory_texture_new(SIDE, SIDE, GDK_MEMORY_B8G8R8A8_PREMULTIPLIED, bytes, SIDE * 4);
    g_bytes_unref(bytes);
    return texture;
}

static void setup(GtkSignalListItemFactory *factory, GtkListItem *item, gpointer unused) {
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6), *picture = gtk_picture_new();
    GtkWidget *label = gtk_label_new("");
    gtk_widget_set_size_request(picture, SIDE, SIDE);
    gtk_label_set_ellipsize(GTK_LABEL(label), PANGO_ELLIPSIZE_END);
    gtk_label_set_width_chars(GTK_LABEL(label), 1);
    gtk_label_set_max_width_chars(GTK_LABEL(label), 1);
    gtk_widget_set_halign(box, GTK_ALIGN_CENTER);
    gtk_box_append(GTK_BOX(box), picture);
    gtk_box_append(GTK_BOX(box), label);
    gtk_list_item_set_child(item, box);
}

static void bind(GtkSignalListItemFactory *factory, GtkListItem *item, gpointer unused) {
    GtkWidget *picture = gtk_widget_get_first_child(gtk_list_item_get_child(item));
    guint number = gtk_list_item_get_position(item);
    gtk_picture_set_paintable(GTK_PICTURE(picture), GDK_PAINTABLE(textures[number % TEXTURES]));
    gtk_label_set_text(GTK_LABEL(gtk_widget_get_next_sibling(picture)),
                       gtk_string_object_get_string(gtk_list_item_get_item(item)));
}

static gboolean frame(GtkWidget *window, GdkFrameClock *clock, gpointer unused) {
    double end = gtk_adjustment_get_upper(adjustment) - gtk_adjustment_get_page_size(adjustment);
    gint64 time = gdk_frame_clock_get_frame_time(clock);
    if (end <= 0) return TRUE;
    if (!start) start = time;
    else if (frames < MOST_FRAMES) (walls[frames] = wall, works[frames++] = work);
    wall = work = 0;
    double elapsed = (time - start) / 1e6;
    gtk_adjustment_set_value(adjustment, end * elapsed / seconds);
    if (elapsed > seconds / 2) g_main_loop_quit(loop);
    return TRUE;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void summary(const char *name, double *values) {
    qsort(values, frames, sizeof *values, ascending);
    printf("%s median %.2f, 99 %% below %.2f, worst %.2f\n", name, values[frames / 2],
           values[(int)((frames - 1) * 0.99 + 0.5)], values[frames - 1]);
}

int main(int count, char **words) {
    seconds = count > 2 ? g_ascii_strtod(words[2], NULL) : 60;
    if (!gtk_init_check()) return 1;
    for (int number = 0; number < TEXTURES; number++) textures[number] = make_texture(number);
    GtkStringList *titles = gtk_string_list_new(NULL);
    for (int number = 0; number < CELLS; number++) {
        char title[32];
        g_snprintf(title, sizeof title, "Picture %d", number);
        gtk_string_list_append(titles, title);
    }
    GtkListItemFactory *factory = gtk_signal_list_item_factory_new();
    g_signal_connect(factory, "setup", G_CALLBACK(setup), NULL);
    g_signal_connect(factory, "bind", G_CALLBACK(bind), NULL);
    GtkWidget *grid = gtk_grid_view_new(GTK_SELECTION_MODEL(gtk_no_selection_new(G_LIST_MODEL(titles))), factory);
    gtk_grid_view_set_min_columns(GTK_GRID_VIEW(grid), 2);
    gtk_grid_view_set_max_columns(GTK_GRID_VIEW(grid), 1160 / SIDE);
    GtkWidget *scrolled = gtk_scrolled_window_new(), *window = gtk_window_new();
    gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scrolled), grid);
    adjustment = gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(scrolled));
    gtk_window_set_default_size(GTK_WINDOW(window), 1160, 800);
    gtk_window_set_child(GTK_WINDOW(window), scrolled);
    gtk_widget_add_tick_callback(window, frame, NULL, NULL);
    loop = g_main_loop_new(NULL, FALSE);
    began_wall = milliseconds(CLOCK_MONOTONIC);
    began_work = milliseconds(CLOCK_THREAD_CPUTIME_ID);
    g_main_context_set_poll_func(NULL, timed_poll);
    gtk_window_present(GTK_WINDOW(window));
    g_main_loop_run(loop);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    summary("main loop, ms     per frame", walls);
    summary("                  processor time", works);
    printf("resident, MB      %ld\n", usage.ru_maxrss / 1000);
    printf("processor         %.1f s\n", usage.ru_utime.tv_sec + usage.ru_stime.tv_sec +
           (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6);
    printf("checked           0 loaded cells, 0 not loaded yet, 0 wrong\n");
    return 0;
}
