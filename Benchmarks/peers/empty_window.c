// An empty GTK window, which ends the program when it is painted.
#include <gtk/gtk.h>

static void painted(GdkFrameClock *clock, gpointer loop) {
    puts("painted");
    fflush(stdout);
    g_main_loop_quit(loop);
}

int main(void) {
    if (!gtk_init_check()) return 1;
    GMainLoop *loop = g_main_loop_new(NULL, FALSE);
    GtkWidget *window = gtk_window_new();
    gtk_window_set_default_size(GTK_WINDOW(window), 400, 300);
    gtk_window_present(GTK_WINDOW(window));
    g_signal_connect(gtk_widget_get_frame_clock(window), "after-paint", G_CALLBACK(painted), loop);
    g_main_loop_run(loop);
    return 0;
}
